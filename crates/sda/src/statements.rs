//! The records of all statements, in order and in few bytes: there is one for
//! almost every line of a source, and every page of memory costs time. One that
//! follows on from the record before it takes a word of 32 bits.

use crate::layout::{Content, Record};
use crate::source::Span;

/// So many records from one that is kept whole, so that it is found by number,
/// to the next such one.
const SPACING: usize = 64;

/// A record that follows on, in a word from its lowest bit on: this flag, clear;
/// whether it is labelled; its content in two bits; its size, the length of its
/// text and the characters since the last one's text.
const WHOLE: u32 = 1;
const LABELLED: u32 = 1 << 1;
const CONTENT_AT: u32 = 2;
const SIZE_AT: u32 = 4;
const LENGTH_AT: u32 = 12;
const GAP_AT: u32 = 20;
const MOST_SIZE: u32 = 0xFF;
const MOST_LENGTH: u32 = 0xFF;
const MOST_GAP: u32 = 0xFFF;

/// Words of a record that is kept whole, behind the one with the flags.
const WORDS: usize = 6;

/// All records.
#[derive(Default)]
pub(crate) struct Statements {
    words: Vec<u32>,
    /// Where in `words` every record is whose number is a multiple of
    /// [`SPACING`].
    starts: Vec<u32>,
    count: usize,
    /// Behind the last one.
    end: Cursor,
}

/// A place between two records.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cursor {
    /// The word of the next record.
    word: usize,
    /// What that has, if it follows on; the text begins where the last ends.
    address: u32,
    offset: u32,
    context: u32,
    lo: u32,
}

impl Statements {
    /// Makes room for so many more.
    pub fn reserve(&mut self, count: usize) {
        self.words.reserve(count);
        self.starts.reserve(count / SPACING);
    }

    #[inline]
    pub fn push(&mut self, record: Record) {
        let end = &self.end;
        let Record { address, size, offset, context, content, labelled, .. } = record;
        let (Span { lo, hi }, length) = (record.span(), u32::from(record.length()));
        let gap = lo.wrapping_sub(end.lo);
        let jump = (address ^ end.address) | (offset ^ end.offset) | (context ^ end.context);
        let excess = size & !MOST_SIZE | length & !MOST_LENGTH | gap & !MOST_GAP;
        let kind = ((content as u32) << CONTENT_AT) | (u32::from(labelled) * LABELLED);
        if jump | excess == 0 && !self.count.is_multiple_of(SPACING) {
            self.words.push(kind | size << SIZE_AT | length << LENGTH_AT | gap << GAP_AT);
        } else {
            self.push_whole([kind | WHOLE, address, size, offset, context, lo, length]);
        }
        let offset = record.next_offset();
        self.end =
            Cursor { word: self.words.len(), address: record.end(), offset, context, lo: hi };
        self.count += 1;
    }

    #[inline(never)]
    fn push_whole(&mut self, words: [u32; 1 + WORDS]) {
        if self.count.is_multiple_of(SPACING) {
            self.starts.push(self.words.len() as u32);
        }
        self.words.extend_from_slice(&words);
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn last(&self) -> Option<Record> {
        self.from(self.count.checked_sub(1)?).next()
    }

    /// The record at the cursor, which goes on to the next one.
    #[inline]
    pub fn next(&self, cursor: &mut Cursor) -> Option<Record> {
        let word = *self.words.get(cursor.word)?;
        cursor.word += 1;
        let (mut size, mut length) = (word >> SIZE_AT & MOST_SIZE, word >> LENGTH_AT & MOST_LENGTH);
        if word & WHOLE == 0 {
            cursor.lo += word >> GAP_AT;
        } else {
            let words = self.words.get(cursor.word..)?.first_chunk::<WORDS>()?;
            [cursor.address, size, cursor.offset, cursor.context, cursor.lo, length] = *words;
            cursor.word += WORDS;
        }
        let content = match word >> CONTENT_AT & 3 {
            0 => Content::Instruction,
            1 => Content::Data,
            _ => Content::Reserved,
        };
        let Cursor { address, offset, context, lo, .. } = *cursor;
        let record = Record::new(content, word & LABELLED != 0, lo, length as u16)
            .at(address, size, offset, context);
        cursor.address = record.end();
        cursor.offset = record.next_offset();
        cursor.lo = record.span().hi;
        Some(record)
    }

    pub fn iter(&self) -> impl Iterator<Item = Record> {
        self.from(0)
    }

    /// The records from number `first` on.
    pub fn from(&self, first: usize) -> impl Iterator<Item = Record> {
        let word = self.starts.get(first / SPACING).map_or(self.words.len(), |&at| at as usize);
        let mut cursor = Cursor { word, ..Cursor::default() };
        std::iter::from_fn(move || self.next(&mut cursor)).skip(first % SPACING)
    }

    /// The records with these numbers.
    pub fn between(&self, first: u32, last: u32) -> impl Iterator<Item = Record> {
        self.from(first as usize).take((last + 1).saturating_sub(first) as usize)
    }

    /// Of the records `first` to `last` the last one for which `is_before`
    /// holds, and its number; it holds for none behind one for which it does not.
    pub fn last_where(
        &self,
        first: u32,
        last: u32,
        is_before: impl Fn(&Record) -> bool,
    ) -> Option<(usize, Record)> {
        let (first, last) = (first as usize, last as usize);
        let whole = first / SPACING + 1..(last / SPACING + 1).min(self.starts.len());
        let is_start_before = |number: &&u32| {
            let mut cursor = Cursor { word: **number as usize, ..Cursor::default() };
            self.next(&mut cursor).is_some_and(|record| is_before(&record))
        };
        let starts = self.starts.get(whole.clone()).unwrap_or_default();
        let starts_before = starts.partition_point(|number| is_start_before(&number));
        let start = match starts_before {
            0 => first,
            count => (whole.start + count - 1) * SPACING,
        };
        (start..=last).zip(self.from(start)).take_while(|(_, record)| is_before(record)).last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many records of all sorts, and the list that holds them.
    fn mixed(count: u32) -> (Vec<Record>, Statements) {
        let contents = [Content::Instruction, Content::Data, Content::Reserved];
        let (mut list, mut statements) = (Vec::new(), Statements::default());
        let (mut address, mut offset, mut lo) = (0x20100, 0, 0);
        for n in 0..count {
            let content = contents[(n / 3 % 3) as usize];
            let size = if n % 7 == 3 { 1 << 20 } else { 1 + n % 256 };
            let length = if n % 11 == 5 { u16::MAX } else { n as u16 % 300 };
            lo += if n % 13 == 6 { 70_000 } else { n % 4100 };
            address += if n % 50 == 49 { 3 } else { 0 };
            let record =
                Record::new(content, n % 5 == 0, lo, length).at(address, size, offset, n / 40 % 3);
            list.push(record);
            statements.push(record);
            lo = if n % 90 == 89 { 10 } else { lo + u32::from(length) };
            (address, offset) = (record.end(), record.next_offset());
        }
        (list, statements)
    }

    fn shown(record: &Record) -> String {
        format!("{record:?}")
    }

    #[test]
    fn records_come_back_as_they_were() {
        for count in [0, 1, 63, 64, 65, 1000] {
            let (list, statements) = mixed(count);
            assert_eq!(statements.len(), list.len());
            assert_eq!(statements.last().as_ref().map(shown), list.last().map(shown));
            for first in [0, 1, 63, 64, 65, 200, count as usize] {
                let rest = statements.from(first).map(|record| shown(&record));
                let wanted = list.iter().skip(first).map(shown);
                assert!(rest.eq(wanted), "{count} from {first}");
            }
        }
    }

    #[test]
    fn a_record_is_found_by_its_offset() {
        let (list, statements) = mixed(500);
        for (first, last) in [(0, 499), (3, 60), (64, 128), (100, 101), (450, 499)] {
            for wanted in list.iter().map(|record| record.offset) {
                let is_before = |record: &Record| record.offset <= wanted;
                let found = statements.last_where(first, last, is_before);
                let within = (0..).zip(&list).take(last as usize + 1).skip(first as usize);
                let expected = within.take_while(|(_, record)| is_before(record)).last();
                let expected = expected.map(|(number, record)| (number, shown(record)));
                assert_eq!(found.map(|(number, record)| (number, shown(&record))), expected);
            }
        }
    }

    #[test]
    fn what_follows_on_takes_a_word() {
        let mut statements = Statements::default();
        for n in 0..640 {
            let record =
                Record::new(Content::Instruction, false, n * 20, 15).at(n * 4, 4, n * 4, 0);
            statements.push(record);
        }
        assert_eq!(statements.words.len(), 640 + 640 / SPACING * WORDS);
    }
}
