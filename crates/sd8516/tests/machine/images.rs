//! `.prg` files and raw binaries: what is loaded, and every lie that a header
//! can tell.

use sd8516::{Image, ImageError, Machine, Segment};

use crate::support::{ORIGIN, image_at, machine};

fn prg(entry: u32, segments: &[(u32, &[u8])]) -> Vec<u8> {
    let mut bytes = b"SDX1".to_vec();
    bytes.extend_from_slice(&entry.to_le_bytes()[..3]);
    bytes.extend_from_slice(&(segments.len() as u16).to_le_bytes());
    for (address, data) in segments {
        bytes.extend_from_slice(&address.to_le_bytes()[..3]);
        bytes.extend_from_slice(&(data.len() as u32).to_le_bytes()[..3]);
        bytes.extend_from_slice(data);
    }
    bytes
}

fn refused(bytes: &[u8], kernal: bool) -> ImageError {
    Image::parse(bytes, kernal).expect_err("should be refused")
}

#[test]
fn segments_are_loaded_where_they_say() {
    let bytes = prg(0x02_0102, &[(0x05_0000, b"later"), (0x02_0100, b"code"), (0, b"zero")]);
    let image = Image::parse(&bytes, false).unwrap();
    let mut m = Machine::new();
    m.start(&image, b"-v level 1").unwrap();
    assert_eq!(m.ip(), 0x02_0102);
    assert_eq!(m.memory().slice(0x05_0000..0x05_0006), b"later\0");
    assert_eq!(m.memory().slice(0x02_0100..0x02_0105), b"code\0");
    assert_eq!(m.memory().slice(0..5), b"zero\0");
    assert_eq!(m.memory().slice(0x02_0000..0x02_000B), b"-v level 1\0");
    assert_eq!(m.program_end(), 0x05_0005);
}

#[test]
fn a_raw_binary_starts_at_its_first_byte() {
    let image = Image::parse(b"SDX", false).unwrap();
    assert_eq!(image, image_at(ORIGIN, b"SDX"));
    assert!(Image::parse(&[0; 0xDC00], false).is_ok());
    assert_eq!(refused(&[0; 0xDC01], false), ImageError::RawSize(0xDC01));
    assert_eq!(refused(b"", false), ImageError::Empty);
}

#[test]
fn a_file_that_ends_too_early_or_too_late_is_refused() {
    let whole = prg(0x02_0100, &[(0x02_0100, b"code"), (0x03_0000, b"data")]);
    assert!(Image::parse(&whole, false).is_ok());
    for length in 4..whole.len() {
        let error = refused(&whole[..length], false);
        assert!(
            matches!(error, ImageError::Truncated(_) | ImageError::Length { .. }),
            "{length}: {error}"
        );
    }
    let mut longer = whole.clone();
    longer.push(0);
    assert_eq!(refused(&longer, false), ImageError::Trailing(1));
    let lies = [&b"SDX1\0\0\0\x01\0\0\x01\x02\xFF\xFF\xFF"[..], b"x"].concat();
    assert_eq!(
        refused(&lies, false).to_string(),
        "segment 1 says it has 16777215 bytes, the file has 1 more"
    );
    assert_eq!(
        refused(b"SDX1\0\0\0\xFF\xFF", false).to_string(),
        "the file ends within the header of segment 1 of 65535"
    );
}

#[test]
fn only_the_allowed_areas_may_be_covered() {
    let allowed: [(u32, u32); 3] = [(0, 0x00_FFFF), (0x02_0100, 0x02_DCFF), (0x02_DF00, 0xEF_FFFF)];
    for (first, last) in allowed {
        for at in [first, last] {
            assert!(Image::parse(&prg(0, &[(at, b"x")]), false).is_ok(), "{at:06X}");
        }
        assert!(Image::parse(&prg(0, &[(last - 1, b"xy")]), false).is_ok());
        assert!(Image::parse(&prg(0, &[(last, b"xy")]), false).is_err(), "{last:06X}");
        if first > 0 {
            assert!(Image::parse(&prg(0, &[(first - 1, b"xy")]), false).is_err(), "{first:06X}");
        }
    }
    for at in [0x01_0100, 0x01_DBFF] {
        assert!(Image::parse(&prg(0, &[(at, b"x")]), true).is_ok());
        assert!(matches!(refused(&prg(0, &[(at, b"x")]), false), ImageError::Area { .. }));
    }
    for at in [0x01_00FF, 0x01_DC00, 0x01_E900, 0x01_EF00, 0x02_0000, 0x02_DD00, 0xF0_0000] {
        for kernal in [false, true] {
            assert!(matches!(refused(&prg(0, &[(at, b"x")]), kernal), ImageError::Area { .. }));
        }
    }
    assert_eq!(
        refused(&prg(0, &[(0x02_0100, b"x"), (0xFF_FFFE, b"abc")]), false).to_string(),
        "segment 2 at $FFFFFE with 3 bytes passes the end of memory"
    );
}

#[test]
fn segments_that_meet_are_refused() {
    let touching = prg(0, &[(0x02_0104, b"more"), (0x02_0100, b"code")]);
    assert!(Image::parse(&touching, false).is_ok());
    let meeting = prg(0, &[(0x02_0103, b"more"), (0x02_0100, b"code")]);
    let error = refused(&meeting, false);
    assert_eq!(error, ImageError::Overlap { first: 2, second: 1, address: 0x02_0103 });
    assert_eq!(error.to_string(), "segments 2 and 1 both cover $020103");
    // A long one over two short ones that don't meet each other.
    let long = prg(0, &[(0x02_0108, b"b"), (0x02_0100, &[1; 16]), (0x03_0000, b"c")]);
    assert!(matches!(refused(&long, false), ImageError::Overlap { .. }));
}

#[test]
fn a_segment_without_bytes_covers_nothing() {
    let image = Image::parse(&prg(0x02_0100, &[(0x01_E000, b""), (0x02_0100, b"x")]), false);
    assert!(image.is_ok());
    let image = Image::parse(&prg(0x02_0100, &[]), false).unwrap();
    assert_eq!(image.end(), 0x02_0100);
}

#[test]
fn nothing_changes_when_a_start_is_refused() {
    let mut m = machine(&[21, 0]);
    let before = m.clone();
    let bad = Image { entry: 0, segments: vec![Segment { address: 0x01_E000, bytes: vec![1] }] };
    assert!(m.start(&bad, b"").is_err());
    let past = Image { entry: 0, segments: vec![Segment { address: u32::MAX, bytes: vec![1] }] };
    assert!(m.start(&past, b"").is_err());
    assert!(m.push_program(&past, b"").is_err());
    assert_eq!(m.start(&image_at(ORIGIN, b"x"), &[b'a'; 256]), Err(ImageError::Arguments(256)));
    assert!(m == before);
    assert!(m.start(&image_at(ORIGIN, b"x"), &[b'a'; 255]).is_ok());
}

#[test]
fn a_program_starts_as_the_manual_says() {
    let mut m = machine(&[]);
    // Whatever was there before.
    m.memory_mut().fill(0, 0xAA, u32::MAX);
    m.set_flags(0xFFFF);
    m.start(&image_at(ORIGIN, &[141]), b"").unwrap();
    assert_eq!((m.words(), m.flags(), m.sp()), ([0; 16], 0, 0x01_DFFD));
    assert_eq!(m.memory().read(m.sp(), 3), 0x01_E8F0);
    assert_eq!(m.memory().slice(0x01_E8F0..0x01_E8F6), [0, 0, 0, 0, 0x88, 0x20]);
    let mut expected = Machine::new();
    expected.start(&image_at(ORIGIN, &[141]), b"").unwrap();
    assert!(m == expected);
    let zero = |range| m.memory().slice(range).iter().all(|&byte| byte == 0);
    assert!(zero(0..0x01_DFFD) && zero(0x01_E900..0x01_EF00) && zero(0x02_0000..ORIGIN));
    assert!(zero(ORIGIN + 1..0xF0_0000) && zero(0xF1_0000..0xF3_0000));
}
