//! Keys, waiting and line editing, with keys from a list and from a person.

mod harness;

use harness::{Fixture, TEXT};
use isa::keys::code::*;
use isa::memory_map::{TEXT_GLYPHS, USER_ORIGIN, device};
use isa::time::frame_end;
use sd8516::{Input, Key, Machine, Stop};

#[test]
fn keys_of_a_list() {
    let mut fixture = Fixture::new();
    fixture.check(0x10, "AH=3", "AL=0", 1).check(0x10, "AH=4", "AL=0", 1);
    fixture.keys(b"ab");
    fixture.check(0x10, "AH=3", "AL=0", 1); // a list's keys come only to who waits
    fixture.check(0x10, "AH=2", "AL=61 BL=0", 1);
    fixture.set("AH=2").int(0x10);
    assert_eq!(fixture.reg("AL"), u64::from(b'b'));
    let units = fixture.machine.units();
    assert_eq!(fixture.set("AH=2").int(0x10), Some(Stop::KeysUsedUp));
    assert_eq!((fixture.machine.ip(), fixture.machine.units()), (USER_ORIGIN, units));
}

#[test]
fn keys_of_a_person() {
    let mut fixture = Fixture::new();
    fixture.machine.set_input(Input::Live);
    assert_eq!(fixture.set("AH=2").int(0x10), Some(Stop::Wait));
    fixture.machine.key(Key { code: LEFT, flags: 0x30 });
    fixture.machine.key(Key { code: b'q', flags: 0 });
    fixture.check(0x10, "AH=4", "AL=2", 1);
    let cells =
        fixture.machine.memory().slice(device::KBD_STATUS_FLAGS..device::KEYBOARD_BUFFER + 6);
    assert_eq!(cells, [0, 2, LEFT, 0x30, b'q', 0, 0, 0]);
    fixture.check(0x10, "AH=2", "AL=80 BL=30", 1);
    fixture.check(0x10, "AH=3", "AL=71", 1);
    assert_eq!(fixture.machine.memory().byte(device::KEYBOARD_COUNT), 0);
}

#[test]
fn waiting_for_frames() {
    let mut fixture = Fixture::new();
    fixture.check(0x10, "AH=7 B=0", "", 1);
    let start = fixture.machine.frames();
    for count in [1, 3, 60] {
        let frames = fixture.machine.frames();
        assert_eq!(fixture.set(&format!("AH=7 B={count:X}")).int(0x10), None);
        assert_eq!(fixture.machine.frames(), frames + count);
        assert_eq!(fixture.machine.units(), frame_end(frames + count) + 1);
        assert!(!fixture.carry());
    }
    assert_eq!(fixture.machine.frames(), start + 64);
}

/// Edits a line with these keys; B, the text, the cursor and the stop.
fn edit(fixture: &mut Fixture<bios::MemoryDisk>, limit: u16, keys: &[u8]) -> Option<Stop> {
    fixture.keys(keys).set(&format!("AH=1E ELM=30000 B={limit:X}")).int(0x10)
}

#[test]
fn line_editing() {
    for (keys, text, caret) in [
        (&b"\r"[..], "", 0),
        (b"abc\r", "abc", 3),
        (b"abc\x08\x08d\r", "ad", 2),
        (b"\x08\x08x\r", "x", 1),
        (b"abcdefghij\r", "abcdefgh", 8),
        (&[b'b', HOME, b'a', END, b'c', ENTER], "abc", 3),
        (&[b'a', b'c', LEFT, b'b', ENTER], "abc", 3),
        (&[b'a', b'b', LEFT, LEFT, LEFT, DELETE, ENTER], "b", 1),
        (&[b'a', b'b', RIGHT, DELETE, b'c', ENTER], "abc", 3),
        (&[b'a', b'b', b'c', LEFT, 8, ENTER], "ac", 2),
        (&[UP, DOWN, F1, 1, 31, 200, 255, PAGE_UP, INSERT, TAB, b'~', ENTER], "~", 1),
    ] {
        let mut fixture = Fixture::new();
        fixture.set("AH=5 X=3 Y=2").int(0x10);
        fixture.set("AH=12 AL=1E").int(0x10);
        assert_eq!(edit(&mut fixture, 8, keys), None, "{keys:?}");
        assert!(!fixture.carry());
        assert_eq!(fixture.reg("B"), text.len() as u64, "{keys:?}");
        assert_eq!(fixture.string_at(TEXT), text, "{keys:?}");
        let cursor = fixture.machine.devices().ppu.cursor();
        assert_eq!(cursor, (3 + caret, 2), "{keys:?}");
        let shown = if text.is_empty() { String::new() } else { format!("   {text}") };
        assert_eq!(fixture.screen().get(2).cloned().unwrap_or_default(), shown);
    }
}

#[test]
fn an_escaped_line_is_an_error_with_the_text_so_far() {
    let mut fixture = Fixture::new();
    assert_eq!(edit(&mut fixture, 8, b"ab\x1B"), None);
    assert!(fixture.carry());
    assert_eq!((fixture.reg("AL"), fixture.reg("B")), (1, 2));
    assert_eq!(fixture.string_at(TEXT), "ab");
    assert_eq!(edit(&mut fixture, 0, b"xyz\r"), None);
    assert_eq!((fixture.carry(), fixture.reg("B")), (false, 0));
    assert_eq!(fixture.string_at(TEXT), "");
}

#[test]
fn the_line_ends_when_the_keys_do_and_goes_on_after_a_snapshot() {
    let mut fixture = Fixture::new();
    assert_eq!(edit(&mut fixture, 8, b"ab"), Some(Stop::KeysUsedUp));
    assert_eq!(fixture.machine.ip(), USER_ORIGIN);
    assert_eq!(fixture.machine.units(), 0);
    assert_eq!(fixture.string_at(TEXT), "ab");

    let snapshot = serde_json::to_string(&fixture.machine).unwrap();
    let mut other = Fixture::new();
    other.machine = serde_json::from_str::<Machine>(&snapshot).unwrap();
    for fixture in [&mut fixture, &mut other] {
        assert_eq!(fixture.keys(b"c\r").int(0x10), None);
        assert_eq!(fixture.string_at(TEXT), "abc");
        assert_eq!(fixture.machine.units(), 1 + 1, "three glyphs, however the keys came");
    }
    assert!(fixture.machine == other.machine);
}

#[test]
fn typing_ahead_and_typing_slowly_give_the_same_line_and_time() {
    let mut ahead = Fixture::new();
    ahead.machine.set_input(Input::Live);
    let mut slow = Fixture::new();
    slow.machine.set_input(Input::Live);
    let typed = b"hello\x08p\r";
    for &code in typed {
        ahead.machine.key(Key { code, flags: 0 });
    }
    assert_eq!(ahead.set("AH=1E ELM=30000 B=20").int(0x10), None);
    slow.set("AH=1E ELM=30000 B=20");
    for &code in typed {
        assert_eq!(slow.int(0x10), Some(Stop::Wait));
        slow.machine.key(Key { code, flags: 0 });
    }
    assert_eq!(slow.int(0x10), None);
    assert_eq!(slow.string_at(TEXT), "hellp");
    assert_eq!(slow.screen(), ahead.screen());
    assert_eq!(slow.machine.units(), ahead.machine.units());
}

#[test]
fn a_second_edit_begins_afresh() {
    let mut fixture = Fixture::new();
    assert_eq!(edit(&mut fixture, 8, b"ab\r"), None);
    assert_eq!(edit(&mut fixture, 8, b"c\r"), None);
    assert_eq!(fixture.string_at(TEXT), "c");
    assert_eq!(fixture.screen(), ["abc"]);
}

#[test]
fn a_long_line_wraps_and_scrolls() {
    let mut fixture = Fixture::new();
    fixture.set("AH=5 X=4E Y=18").int(0x10);
    fixture.machine.memory_mut().set_byte(TEXT_GLYPHS.start + 80, b'#');
    assert_eq!(edit(&mut fixture, 300, b"abc\r"), None);
    let screen = fixture.screen();
    assert_eq!(screen[0], "#");
    assert_eq!(screen[23], format!("{:78}ab", ""));
    assert_eq!(screen[24], "c");
    assert_eq!(fixture.machine.devices().ppu.cursor(), (1, 24));

    // the cursor stays behind a row's last glyph until another follows
    let mut fixture = Fixture::new();
    fixture.set("AH=5 X=4E Y=18").int(0x10);
    assert_eq!(edit(&mut fixture, 300, b"ab\r"), None);
    assert_eq!(fixture.machine.devices().ppu.cursor(), (80, 24));
}

#[test]
fn an_empty_line_behind_a_full_row_leaves_the_cursor_there() {
    for (row, keys, cursor) in [
        (3, &[ENTER][..], (80, 3)),
        (24, &[ENTER], (80, 24)),
        (24, &[ESCAPE], (80, 24)),
        (24, &[LEFT, HOME, RIGHT, END, BACKSPACE, DELETE, ENTER], (80, 24)),
        (24, &[b'a', ENTER], (1, 24)),
        (24, &[b'a', BACKSPACE, ENTER], (0, 24)),
        (3, &[b'a', HOME, DELETE, ENTER], (0, 4)),
    ] {
        let mut fixture = Fixture::new();
        fixture.set(&format!("AH=5 X=4F Y={row:X}")).int(0x10);
        fixture.set("AH=E AL=58").int(0x10);
        assert_eq!(edit(&mut fixture, 8, keys), None);
        assert_eq!(fixture.machine.devices().ppu.cursor(), cursor, "row {row}, {keys:?}");
    }
}

#[test]
fn a_line_longer_than_the_screen_keeps_its_end_in_view() {
    let mut fixture = Fixture::new();
    let mut keys = vec![b'x'; 2_500];
    keys.extend(b"end");
    keys.extend([HOME, b'a', END, b'!', ENTER]);
    assert_eq!(edit(&mut fixture, 0xFFFF, &keys), None);
    assert_eq!(fixture.reg("B"), 2_505);
    assert!(fixture.screen()[24].ends_with("end!"));
    let memory = fixture.machine.memory();
    assert_eq!(memory.slice(TEXT..TEXT + 3), b"axx");
    assert_eq!(memory.slice(TEXT + 2_501..TEXT + 2_506), b"end!\0");
}
