//! Sixteen megabytes that cost only what is used: zeroed by the host when
//! first touched, cloned and serialised page by page, zero pages left out.

use std::fmt;
use std::ops::Range;

use isa::memory_map::MEMORY_SIZE;
use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes of a page.
const PAGE: usize = 4096;
/// Pages of the whole memory.
const PAGES: usize = MEMORY_SIZE / PAGE;

/// One byte for every address.
pub(crate) struct Pages(Box<[u8; MEMORY_SIZE]>);

impl Pages {
    /// All zero.
    pub(crate) fn new() -> Self {
        let bytes = vec![0; MEMORY_SIZE].into_boxed_slice();
        Pages(bytes.try_into().expect("the vector has MEMORY_SIZE bytes"))
    }

    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8; MEMORY_SIZE] {
        &self.0
    }

    #[inline(always)]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8; MEMORY_SIZE] {
        &mut self.0
    }

    /// Zeroes a range within memory; pages that are zero aren't touched.
    pub(crate) fn zero(&mut self, range: Range<usize>) {
        let Range { mut start, end } = range;
        while start < end {
            let stop = (start / PAGE * PAGE + PAGE).min(end);
            let part = &mut self.0[start..stop];
            if !is_zero(part) {
                part.fill(0);
            }
            start = stop;
        }
    }

    /// The pages that aren't zero, with their numbers.
    fn used(&self) -> impl Iterator<Item = (usize, &[u8])> {
        self.0.chunks_exact(PAGE).enumerate().filter(|(_, page)| !is_zero(page))
    }
}

/// Whether a page or a part of one holds only zeros.
fn is_zero(page: &[u8]) -> bool {
    const ZEROS: [u8; PAGE] = [0; PAGE];
    page == &ZEROS[..page.len()]
}

impl Clone for Pages {
    fn clone(&self) -> Self {
        let mut copy = Pages::new();
        for (number, page) in self.used() {
            copy.0[number * PAGE..][..PAGE].copy_from_slice(page);
        }
        copy
    }
}

impl PartialEq for Pages {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Pages {}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pages({} of {PAGES} used)", self.used().count())
    }
}

/// Bytes as a string of hex digits, so that a page is short in text formats
/// and one item in binary ones.
struct Hex<'a>(&'a [u8]);

/// Bytes that are kept in hex when serialised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Hex(&self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        from_hex(&text).map(Bytes).ok_or_else(|| D::Error::custom("bytes in hex were expected"))
    }
}

impl Serialize for Hex<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 15)]);
        let text: String = self.0.iter().flat_map(|&b| [digit(b >> 4), digit(b)]).collect();
        serializer.serialize_str(&text)
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| char::from(c).to_digit(16);
    let pairs = text.as_bytes().as_chunks::<2>();
    if !pairs.1.is_empty() {
        return None;
    }
    pairs.0.iter().map(|[high, low]| Some((digit(*high)? << 4 | digit(*low)?) as u8)).collect()
}

impl Serialize for Pages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.used().count()))?;
        for (number, page) in self.used() {
            list.serialize_element(&(number as u16, Hex(page)))?;
        }
        list.end()
    }
}

impl<'de> Deserialize<'de> for Pages {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;

        impl<'de> Visitor<'de> for List {
            type Value = Pages;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a list of (page number, {PAGE} bytes in hex)")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Pages, A::Error> {
                let mut pages = Pages::new();
                while let Some((number, text)) = list.next_element::<(u16, String)>()? {
                    let number = usize::from(number);
                    let bytes = from_hex(&text)
                        .filter(|bytes| bytes.len() == PAGE && number < PAGES)
                        .ok_or_else(|| A::Error::custom(format!("page {number} is no page")))?;
                    pages.0[number * PAGE..][..PAGE].copy_from_slice(&bytes);
                }
                Ok(pages)
            }
        }

        deserializer.deserialize_seq(List)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_used_pages_are_written() {
        let mut pages = Pages::new();
        pages.0[5] = 1;
        pages.0[MEMORY_SIZE - 1] = 2;
        let text = serde_json::to_string(&pages).unwrap();
        assert!(text.len() < 5 * PAGE);
        assert_eq!(serde_json::from_str::<Pages>(&text).unwrap(), pages);
        assert_eq!(pages.clone(), pages);
        assert_eq!(format!("{pages:?}"), "Pages(2 of 4096 used)");
    }

    #[test]
    fn damaged_pages_are_refused() {
        let page = "00".repeat(PAGE);
        assert!(serde_json::from_str::<Pages>(&format!("[[4095,\"{page}\"]]")).is_ok());
        for wrong in [
            format!("[[4096,\"{page}\"]]"),
            format!("[[0,\"{page}0\"]]"),
            format!("[[0,\"{page}00\"]]"),
            format!("[[0,\"g{}\"]]", &page[1..]),
            "[[0,\"\"]]".to_string(),
            "[[0]]".to_string(),
            "{}".to_string(),
        ] {
            assert!(serde_json::from_str::<Pages>(&wrong).is_err());
        }
    }
}
