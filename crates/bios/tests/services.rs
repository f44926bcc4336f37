//! Every service by table: results, carry, error numbers, the registers and
//! flags that stay, and the units.

mod harness;

use harness::{Fixture, TEXT};
use isa::flags;
use isa::memory_map::{FRAMEBUFFER, TEXT_COLOURS, TEXT_GLYPHS, USER_ORIGIN, device};
use isa::services::{SERVICES, service};
use sd8516::{Image, Machine};

#[test]
fn the_page_of_services_lists_them_all() {
    let page = include_str!("../../../docs/services.md");
    let mut listed: Vec<(u8, u8)> = Vec::new();
    let mut vector = 0;
    let hex = |text: &str| u8::from_str_radix(&text[..2], 16).unwrap();
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## INT $") {
            vector = hex(heading);
        } else if let Some(function) = line.strip_prefix("| $") {
            listed.push((vector, hex(function)));
        }
    }
    listed.sort_unstable();
    let known: Vec<(u8, u8)> = SERVICES.iter().map(|one| (one.vector, one.function)).collect();
    assert_eq!(listed, known);
}

#[test]
fn unknown_functions_and_vectors() {
    let mut fixture = Fixture::new();
    let mut check = |vector: u8, a: u16| {
        fixture.set(&format!("A={a:X} B=1234")).machine.set_flags(flags::Z | flags::V);
        let before = (fixture.machine.words(), fixture.machine.units());
        assert_eq!(fixture.int(vector), None);
        let mut expected = before.0;
        expected[0] = a | 0xFF;
        assert_eq!(fixture.machine.words(), expected, "INT ${vector:02X} A={a:04X}");
        assert_eq!(fixture.machine.flags(), flags::Z | flags::V | flags::C);
        assert_eq!(fixture.machine.units(), before.1 + 1);
    };
    for vector in 0..=255 {
        for function in (0..=255).filter(|&function| service(vector, function).is_none()) {
            check(vector, u16::from(function) << 8 | 0x21);
        }
    }
    for number in (0..=255).filter(|number| !(1..=6).contains(number)) {
        check(0x03, 0x0100 | number);
    }
}

#[test]
fn modes_and_sizes() {
    let mut fixture = Fixture::new();
    for (mode, columns, rows, width, height) in [
        (1, 40, 25, 320, 200),
        (2, 80, 25, 640, 200),
        (3, 40, 25, 320, 200),
        (4, 32, 28, 256, 224),
        (6, 80, 50, 640, 400),
        (8, 16, 16, 128, 128),
    ] {
        let cells = columns * rows;
        fixture.check(0x10, &format!("AH=0 AL={mode:X}"), "", 1 + cells / 4);
        fixture.check(0x10, "AH=F", &format!("AL={mode:X}"), 1);
        fixture.check(0x10, "AH=16", &format!("B={columns:X} C={rows:X}"), 1);
        fixture.check(0x18, "AH=6", &format!("B={width:X} C={height:X}"), 1);
        let cells = fixture.machine.memory().slice(device::VIDEO_MODE..device::CHAR_WIDTH);
        assert_eq!(cells, [mode as u8, columns as u8, rows as u8]);
        assert_eq!(fixture.machine.memory().byte(device::VIDEO_PALETTE), 5);
    }
    for mode in [0, 5, 7, 9, 0xFF] {
        fixture.check(0x10, &format!("AH=0 AL={mode:X}"), "AL=1 carry", 1);
    }
    fixture.check(0x10, "AH=F", "AL=8", 1);
}

#[test]
fn cursor_and_colour() {
    let mut fixture = Fixture::new();
    fixture.check(0x10, "AH=5 X=4F Y=18", "", 1).check(0x10, "AH=6", "X=4F Y=18", 1);
    for outside in ["X=50 Y=0", "X=0 Y=19", "X=FFFF Y=0", "X=0 Y=100", "X=100 Y=0"] {
        fixture.check(0x10, &format!("AH=5 {outside}"), "AL=1 carry", 1);
    }
    fixture.check(0x10, "AH=6", "X=4F Y=18", 1);
    assert_eq!(fixture.machine.memory().slice(device::CURSOR_X..device::CURSOR_Y + 1), [79, 24]);
    fixture.check(0x10, "AH=E AL=41", "", 2).check(0x10, "AH=6", "X=50 Y=18", 1);
    assert_eq!(fixture.machine.memory().byte(device::CURSOR_X), 80);
    fixture.check(0x10, "AH=1 AL=0", "", 1);
    assert_eq!(fixture.machine.memory().byte(device::CURSOR_STATE), 0);
    assert_eq!(fixture.machine.picture().cursor, None);
    fixture.check(0x10, "AH=1 AL=7", "", 1);
    assert_eq!(fixture.machine.memory().byte(device::CURSOR_STATE), 1);
    fixture.check(0x10, "AH=12 AL=1E", "", 1);
    assert_eq!(fixture.machine.memory().byte(device::VIDEO_CHAR_COLOR), 0x1E);
    fixture.check(0x10, "AH=5 X=0 Y=0", "", 1).check(0x10, "AH=E AL=42", "", 2);
    assert_eq!(fixture.machine.memory().byte(TEXT_COLOURS.start), 0x1E);
    fixture.check(0x10, "AH=10", "", 501);
    assert_eq!(fixture.machine.memory().byte(TEXT_COLOURS.start), 0x07);
    assert_eq!(fixture.machine.memory().byte(device::VIDEO_CHAR_COLOR), 0x1E);
    fixture.check(0x10, "AH=6", "X=0 Y=0", 1);
}

#[test]
fn cells_count_at_the_next_int() {
    let mut fixture = Fixture::new();
    let memory = fixture.machine.memory_mut();
    memory.set_byte(device::CURSOR_X, 200);
    memory.set_byte(device::CURSOR_Y, 24);
    memory.set_byte(device::VIDEO_CHAR_COLOR, 0x4F);
    memory.set_byte(device::VIDEO_MODE, 99);
    fixture.check(0x10, "AH=6", "X=50 Y=18", 1);
    assert_eq!(fixture.machine.memory().byte(device::VIDEO_MODE), 2);
    fixture.machine.memory_mut().set_byte(device::CURSOR_X, 3);
    fixture.check(0x10, "AH=E AL=58", "", 2);
    assert_eq!(fixture.machine.memory().byte(TEXT_GLYPHS.start + 24 * 80 + 3), b'X');
    assert_eq!(fixture.machine.memory().byte(TEXT_COLOURS.start + 24 * 80 + 3), 0x4F);
}

#[test]
fn printing() {
    let mut fixture = Fixture::new();
    fixture.string(TEXT, "Hello,\tworld\r\n").string(TEXT + 0x100, "");
    fixture.check(0x10, "AH=18 ELM=30000", "", 1 + 3);
    fixture.check(0x10, "AH=19 B=0", "", 2).check(0x10, "AH=1A", "", 1);
    fixture.check(0x10, "AH=19 B=FFFF", "", 3).check(0x05, "AH=64", "", 1);
    fixture.check(0x05, "AH=66 BLX=30000", "", 4);
    fixture.check(0x10, "AH=18 ELM=30100", "", 1);
    fixture.check(0x10, "AH=13 AL=2A BL=1F X=4F Y=6", "", 2);
    fixture.check(0x10, "AH=13 X=50 Y=6", "AL=1 carry", 1);
    fixture.check(0x10, "AH=13 X=0 Y=19", "AL=1 carry", 1);
    fixture.check(0x10, "AH=6", "X=0 Y=4", 1);
    let last = format!("{:79}*", "");
    assert_eq!(
        fixture.screen(),
        ["Hello,  world", "0", "65535", "Hello,  world", "", "", last.as_str()]
    );
    fixture.check(0x10, "AH=11 AL=1", "", 501).check(0x10, "AH=6", "X=0 Y=4", 1);
    assert_eq!(fixture.screen()[0], "0");
    fixture.check(0x10, "AH=11 AL=FF", "", 501).check(0x10, "AH=11 AL=0", "", 1);
    assert!(fixture.screen().is_empty());
}

#[test]
fn a_new_line_at_the_bottom_counts_the_scroll() {
    let mut fixture = Fixture::new();
    fixture.check(0x10, "AH=5 X=0 Y=18", "", 1);
    fixture.check(0x10, "AH=1A", "", 501).check(0x10, "AH=E AL=A", "", 501);
    fixture.check(0x05, "AH=64", "", 501).check(0x10, "AH=E AL=D", "", 1);
}

#[test]
fn palettes_and_vstop() {
    let mut fixture = Fixture::new();
    for palette in 0..=5 {
        fixture.check(0x10, &format!("AH=1D AL={palette:X}"), "", 1);
        assert_eq!(fixture.machine.memory().byte(device::VIDEO_PALETTE), palette);
    }
    fixture.check(0x10, "AH=1D AL=6", "AL=1 carry", 1);
    fixture.check(0x10, "AH=1D AL=FF", "AL=1 carry", 1);
    fixture.check(0x10, "AH=1B", "", 1);
    assert_eq!(fixture.machine.memory().byte(device::VIDEO_FLAGS), 1);
    fixture.string(TEXT, "hidden").check(0x10, "AH=18 ELM=30000", "", 3);
    assert!(fixture.screen().is_empty());
    fixture.check(0x10, "AH=1C", "", 1);
    assert_eq!(fixture.machine.memory().byte(device::VIDEO_FLAGS), 0);
    assert_eq!(fixture.screen(), ["hidden"]);
}

#[test]
fn numbers_in_text() {
    let mut fixture = Fixture::new();
    for (text, ab) in [
        ("12345", 12_345),
        ("-1", 0xFFFF_FFFF),
        ("$12345", 0x12345),
        ("  7 8", 7),
        ("70000", 70_000u64),
    ] {
        let units = 1 + text.len().div_ceil(4) as u64;
        fixture.string(TEXT, text);
        fixture.check(0x05, "AH=62 ELM=30000", &format!("B={ab:X}"), units);
        fixture.check(0x12, "AH=4 ELM=30000", &format!("AB={ab:X}"), units);
    }
    for text in ["", "x", "-", "$", "hello"] {
        let units = 1 + text.len().div_ceil(4) as u64;
        fixture.string(TEXT, text);
        fixture.check(0x05, "AH=62 ELM=30000", "AL=1 carry", units);
        fixture.check(0x12, "AH=4 ELM=30000", "AL=1 carry", units);
    }
}

#[test]
fn strings() {
    let mut fixture = Fixture::new();
    fixture.string(TEXT, "hello").string(TEXT + 0x100, "help").string(TEXT + 0x200, "");
    fixture.check(0x12, "AH=0 ELM=30000", "B=5", 3).check(0x12, "AH=0 ELM=30200", "B=0", 1);
    for (left, right, flags, units) in [
        ("30000", "30000", "compared zero carry", 3),
        ("30000", "30100", "compared", 2),
        ("30100", "30000", "compared carry", 2),
        ("30200", "30000", "compared", 1),
        ("30000", "30200", "compared carry", 1),
        ("30200", "30200", "compared zero carry", 1),
    ] {
        fixture.check(0x12, &format!("AH=2 ELM={left} FLD={right}"), flags, units);
    }
    fixture.machine.memory_mut().fill(TEXT + 0x300, 0xEE, 16);
    fixture.check(0x12, "AH=1 ELM=30000 FLD=30300", "", 3);
    assert_eq!(fixture.machine.memory().slice(TEXT + 0x300..TEXT + 0x307), b"hello\0\xEE");
    fixture.int(0x12);
    fixture.set("AH=3 ELM=30100 FLD=30300").int(0x12);
    assert_eq!(fixture.string_at(TEXT + 0x300), "hellohelp");
    // appending a string to itself, and copying over its own zero
    fixture.set("AH=3 ELM=30100 FLD=30100").int(0x12);
    assert_eq!(fixture.string_at(TEXT + 0x100), "helphelp");
    fixture.set("AH=1 ELM=30000 FLD=30002").int(0x12);
    assert_eq!(fixture.string_at(TEXT), "hehello");
    fixture.check(0x12, "AH=5 KT=FFFFFFFF FLD=30300", "", 1);
    assert_eq!(fixture.string_at(TEXT + 0x300), "4294967295");
    fixture.check(0x12, "AH=5 KT=0 FLD=30300", "", 1);
    assert_eq!(fixture.string_at(TEXT + 0x300), "0");
    fixture.check(0x12, "AH=6 B=1AF FLD=30300", "", 1);
    assert_eq!(fixture.string_at(TEXT + 0x300), "01AF");
}

#[test]
fn appending_counts_both_strings() {
    let mut fixture = Fixture::new();
    fixture.string(TEXT, "abc").string(TEXT + 0x100, "defgh");
    let saved = fixture.machine.clone();
    fixture.set("AH=3 ELM=30000 FLD=30100").int(0x12);
    assert_eq!(fixture.machine.units() - saved.units(), 1 + 2);
    assert_eq!(fixture.string_at(TEXT + 0x100), "defghabc");
}

#[test]
fn maths() {
    let mut fixture = Fixture::new();
    fixture
        .check(0x13, "AH=0 B=FFFF C=FFFF", "AB=FFFE0001", 1)
        .check(0x13, "AH=0 B=7 C=6", "AB=2A", 1)
        .check(0x13, "AH=1 B=64 C=7", "B=E C=2", 1)
        .check(0x13, "AH=1 B=64 C=0", "AL=1 carry", 1)
        .check(0x13, "AH=3 B=FFFF", "B=1", 1)
        .check(0x13, "AH=3 B=8000", "B=8000", 1)
        .check(0x13, "AH=3 B=7FFF", "B=7FFF", 1)
        .check(0x13, "AH=2 B=0", "B=4", 1)
        .check(0x13, "AH=4 CD=1", "", 1)
        .check(0x13, "AH=2 B=0", "B=4", 1)
        .check(0x13, "AH=4 CD=0", "", 1)
        .check(0x13, "AH=2 B=0", "B=4", 1)
        .check(0x13, "AH=2 B=1", "B=0", 1)
        // D is the high word
        .check(0x13, "AH=4 C=0 D=1", "", 1);
    let state = fixture.machine.memory().read(device::RNG_STATE, 4);
    assert_eq!(state, 0x10000);
}

#[test]
fn memory_blocks() {
    let mut fixture = Fixture::new();
    fixture.string(TEXT, "abcdefgh");
    fixture.check(0x14, "AH=1 AL=5A FLD=30100 B=9", "", 1 + 3);
    assert_eq!(fixture.machine.memory().slice(TEXT + 0x100..TEXT + 0x10A), b"ZZZZZZZZZ\0");
    fixture.check(0x14, "AH=0 ELM=30000 FLD=30100 B=4", "", 2);
    assert_eq!(fixture.machine.memory().slice(TEXT + 0x100..TEXT + 0x106), b"abcdZZ");
    fixture.set("AH=0 ELM=30000 FLD=30002 B=6").int(0x14);
    assert_eq!(fixture.string_at(TEXT), "ababcdef");
    fixture.string(TEXT, "abcx").string(TEXT + 0x100, "abcd");
    for (count, flags) in [(0, "zero carry"), (3, "zero carry"), (4, "carry")] {
        let before = format!("AH=2 ELM=30000 FLD=30100 B={count:X}");
        fixture.check(0x14, &before, &format!("compared {flags}"), 1 + u64::div_ceil(count, 4));
    }
    fixture.check(0x14, "AH=2 ELM=30100 FLD=30000 B=4", "compared", 2);
    fixture.check(0x14, "AH=0 B=0", "", 1).check(0x14, "AH=1 B=0", "", 1);
    let before = fixture.machine.units();
    fixture.set("AH=1 AL=1 FLD=FFFFF0 B=FFFF").int(0x14);
    assert_eq!(fixture.machine.units() - before, 1 + 16_384);
    assert_eq!(fixture.machine.memory().byte(0xFFEE), 1);
}

#[test]
fn free_bytes_reach_to_the_end_of_the_bank() {
    let mut fixture = Fixture::new();
    fixture.check(0x14, "AH=3", "AB=FEFD", 1); // three bytes at $020100
    for (address, length, free) in [
        (0x2DF00, 0x100, 0x2000u64),
        (0x30000, 1, 0xFFFF),
        (0x3FFFF, 1, 0),
        (0x3FFFF, 2, 0xFFFF),
        (0xEFFFFF, 1, 0),
    ] {
        let mut bytes = b"SDX1\x00\x01\x02\x02\x00\x00\x01\x02\x02\x00\x00\x88\x14".to_vec();
        bytes.extend(u32::to_le_bytes(address)[..3].iter());
        bytes.extend(u32::to_le_bytes(length)[..3].iter());
        bytes.resize(bytes.len() + length as usize, 1);
        let mut machine = Machine::new();
        machine.start(&Image::parse(&bytes, false).unwrap(), b"").unwrap();
        fixture.machine = machine;
        fixture.set("AH=3").int(0x14);
        assert_eq!(fixture.reg("AB"), free, "{length} bytes at {address:06X}");
    }
}

#[test]
fn graphics_by_service() {
    let mut fixture = Fixture::new();
    for function in 0..=5 {
        fixture.check(0x18, &format!("AH={function} X=0 Y=0 I=9 J=9"), "AL=1 carry", 1);
    }
    fixture.check(0x03, "AH=1 AL=2 X=0 Y=0 I=9 J=9", "AL=1 carry", 1);
    fixture.check(0x10, "AH=0 AL=4", "", 1 + 224);
    fixture.check(0x18, "AH=0 AL=7", "", 1 + 256 * 224 / 4);
    fixture.check(0x18, "AH=1 X=FF Y=DF C=1234", "", 2);
    assert_eq!(fixture.machine.memory().byte(FRAMEBUFFER.start + 256 * 224 - 1), 0x34);
    fixture.check(0x18, "AH=1 X=100 Y=0 C=1", "AL=1 carry", 1);
    fixture.check(0x18, "AH=1 X=FFFF Y=0 C=1", "AL=1 carry", 1);
    fixture.check(0x18, "AH=2 X=FFF6 Y=0 I=9 J=0 C=1", "", 1 + 3);
    fixture.check(0x18, "AH=3 X=0 Y=0 I=9 J=9 C=1", "", 1 + 9);
    fixture.check(0x18, "AH=4 X=0 Y=0 I=9 J=9 C=1", "", 1 + 25);
    fixture.string(TEXT, "abcdef");
    fixture.check(0x18, "AH=5 X=1 Y=1 I=3 J=2 ELM=30000", "", 1 + 2);
    assert_eq!(
        fixture.machine.memory().slice(FRAMEBUFFER.start + 0x201..FRAMEBUFFER.start + 0x204),
        b"def"
    );
    fixture.check(0x03, "AH=1 AL=6 X=1 Y=1 I=3 J=2 ELM=30000 FL=61", "", 1 + 2);
    fixture.check(0x03, "AH=1 AL=1 X=0 Y=0 C=9", "", 2);
    assert_eq!(fixture.machine.memory().byte(FRAMEBUFFER.start), 9);
}

#[test]
fn sound_cells_and_tunes() {
    let mut fixture = Fixture::new();
    let voice = device::SOUND.start + 3 * device::VOICE_SIZE;
    fixture.machine.memory_mut().copy_in(TEXT, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    fixture.check(0x11, "AH=1 AL=3 ELM=30000", "", 1);
    assert_eq!(
        fixture.machine.memory().slice(voice..voice + 11),
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0]
    );
    fixture.check(0x11, "AH=2 AL=3", "", 1);
    assert_eq!(fixture.machine.memory().slice(voice..voice + 5), [1, 2, 3, 0, 5]);
    fixture.check(0x11, "AH=1 AL=4", "AL=1 carry", 1).check(0x11, "AH=2 AL=FF", "AL=1 carry", 1);
    fixture.check(0x11, "AH=0", "", 1);
    assert!(fixture.machine.memory().slice(device::SOUND).iter().all(|&byte| byte == 0));

    fixture.string(TEXT, "T120 L4 C D8 R8 E");
    fixture.check(0x11, "AH=4", "B=0", 1).check(0x11, "AH=3 ELM=30000", "", 1);
    fixture.check(0x11, "AH=4", "B=4", 1);
    assert_eq!(fixture.machine.memory().byte(device::SOUND.start + 3), 1);
    let c = fixture.machine.memory().read(device::SOUND.start, 3);
    assert_eq!((c as f64 * 0.0596).round(), 262.0);
    for (frames, left) in [(29, 4), (2, 3), (14, 3), (1, 2), (15, 1), (30, 0)] {
        fixture.set(&format!("AH=7 B={frames:X}")).int(0x10);
        fixture.set("AH=4").int(0x11);
        assert_eq!(fixture.reg("B"), left, "at frame {}", fixture.machine.frames());
    }
    assert_eq!(fixture.machine.memory().byte(device::SOUND.start + 3), 0);
    fixture.string(TEXT, "C H");
    fixture.check(0x11, "AH=3 ELM=30000", "AL=1 carry", 1);
}

#[test]
fn a_hooked_vector_replaces_a_service() {
    let mut fixture = Fixture::new();
    // vector $13: LDB $1234, IRET
    fixture.machine.memory_mut().copy_in(0x0003_1000, &[0x00, 0x01, 0x34, 0x12, 0x89]);
    fixture.machine.memory_mut().write(0x01_E900 + 3 * 0x13, 3, 0x03_1000);
    fixture.set("AH=2 B=0");
    fixture.machine.memory_mut().set_byte(USER_ORIGIN + 1, 0x13);
    fixture.machine.set_ip(USER_ORIGIN);
    for _ in 0..3 {
        assert_eq!(fixture.machine.step(&mut fixture.bios), None);
    }
    assert_eq!((fixture.reg("B"), fixture.machine.ip()), (0x1234, USER_ORIGIN + 2));
}
