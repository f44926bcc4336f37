//! INT $15 and INT $20: files by name, the command block, programs run by a
//! program.

mod harness;

use bios::{Disk, DiskError, MemoryDisk, Name, NoDisk};
use harness::{Fixture, TEXT};
use isa::memory_map::{ARGUMENTS, FS_COMMAND_BLOCK, USER_ORIGIN, VECTORS};
use sd8516::{Image, Machine, Stop};

const NAMES: u32 = TEXT + 0x1000;

fn name(text: &str) -> Name {
    Name::new(text.as_bytes()).unwrap()
}

fn block(fixture: &Fixture<MemoryDisk>) -> (u8, u8, u64, String) {
    let memory = fixture.machine.memory();
    let start = FS_COMMAND_BLOCK.start;
    let rest = memory.slice(start + 39..FS_COMMAND_BLOCK.end);
    assert!(rest.iter().all(|&byte| byte == 0));
    (
        memory.byte(start),
        memory.byte(start + 1),
        memory.read(start + 2, 4),
        fixture.string_at(start + 6),
    )
}

#[test]
fn whole_files() {
    let mut fixture = Fixture::new();
    fixture.string(NAMES, "B.DAT").string(NAMES + 0x40, "a-file").string(NAMES + 0x80, "../x");
    fixture.string(TEXT, "hello, disk");
    fixture.check(0x15, "AH=1 ELM=31000 FLD=30100 KT=100", "AL=1 carry", 1);
    assert_eq!(block(&fixture), (1, 1, 0, "B.DAT".into()));
    fixture.check(0x15, "AH=2 ELM=31000 FLD=30000 KT=B", "", 1);
    assert_eq!(block(&fixture), (2, 0, 11, "B.DAT".into()));
    fixture.check(0x15, "AH=1 ELM=31000 FLD=30100 KT=B", "AB=B", 1);
    assert_eq!(fixture.string_at(TEXT + 0x100), "hello, disk");
    fixture.check(0x15, "AH=1 ELM=31000 FLD=30200 KT=A", "AL=3 carry", 1);
    assert_eq!(fixture.string_at(TEXT + 0x200), "");
    assert_eq!(block(&fixture), (1, 3, 0, "B.DAT".into()));
    fixture.check(0x15, "AH=5 ELM=31000", "AB=B", 1);
    assert_eq!(block(&fixture), (5, 0, 11, "B.DAT".into()));
    fixture.set("AH=7 ELM=31000 FLD=30000 KT=5").int(0x15);
    assert!(!fixture.carry());
    fixture.check(0x15, "AH=5 ELM=31000", "AB=10", 1);
    fixture.check(0x15, "AH=4 ELM=31000 FLD=31000", "AL=6 carry", 1);
    fixture.set("AH=4 ELM=31000 FLD=31040").int(0x15);
    assert_eq!(block(&fixture), (4, 0, 0, "B.DAT".into()));
    fixture.check(0x15, "AH=5 ELM=31000", "AL=1 carry", 1);
    fixture.check(0x15, "AH=5 ELM=31040", "AB=10", 1);
    fixture.set("AH=3 ELM=31040").int(0x15);
    assert!(!fixture.carry());
    fixture.check(0x15, "AH=3 ELM=31040", "AL=1 carry", 1);
    for function in [1, 2, 3, 4, 5, 7] {
        fixture.check(0x15, &format!("AH={function} ELM=31080 FLD=30000 KT=1"), "AL=2 carry", 1);
        assert_eq!(block(&fixture), (function, 2, 0, "../x".into()));
    }
    fixture.string(NAMES, &"x".repeat(33));
    fixture.check(0x15, "AH=5 ELM=31000", "AL=2 carry", 1);
    assert_eq!(block(&fixture), (5, 2, 0, "x".repeat(32)));
    assert!(fixture.bios.disk().entries().unwrap().is_empty());
}

#[test]
fn a_bad_new_name_leaves_the_old_file() {
    let mut fixture = Fixture::new();
    fixture.bios.disk_mut().save(&name("A"), b"1").unwrap();
    fixture.string(NAMES, "A").string(NAMES + 0x40, "a/b");
    fixture.check(0x15, "AH=4 ELM=31000 FLD=31040", "AL=2 carry", 1);
    assert_eq!(fixture.bios.disk().load(&name("A"), 9).unwrap(), b"1");
}

#[test]
fn the_directory_is_sorted_and_ends_with_carry() {
    let mut fixture = Fixture::new();
    for (file, size) in [("b", 2), ("B", 1), ("a.txt", 70_000), (&"z".repeat(32), 0)] {
        fixture.bios.disk_mut().save(&name(file), &vec![1; size]).unwrap();
    }
    let sorted = [("B".into(), 1), ("a.txt".into(), 70_000), ("b".into(), 2), ("z".repeat(32), 0)];
    for (index, (file, size)) in sorted.into_iter().enumerate() {
        fixture.machine.memory_mut().fill(TEXT + 0x100, 0xEE, 48);
        fixture.check(0x15, &format!("AH=6 B={index:X} FLD=30100"), "", 1);
        let memory = fixture.machine.memory();
        let mut expected = file.clone().into_bytes();
        expected.resize(33, 0);
        expected.extend(u32::to_le_bytes(size));
        expected.extend([0, 0, 0, 0xEE]);
        assert_eq!(memory.slice(TEXT + 0x100..TEXT + 0x129), expected);
        assert_eq!(block(&fixture), (6, 0, size.into(), file));
    }
    fixture.check(0x15, "AH=6 B=4 FLD=30100", "AL=1 carry", 1);
    assert_eq!(block(&fixture), (6, 1, 0, String::new()));
    fixture.check(0x15, "AH=6 B=FFFF FLD=30100", "AL=1 carry", 1);
}

#[test]
fn without_a_folder_the_disk_is_empty_and_read_only() {
    let mut fixture = Fixture::with_disk(NoDisk);
    fixture.string(NAMES, "A").string(NAMES + 0x40, "B").string(NAMES + 0x80, "");
    fixture.check(0x15, "AH=6 B=0 FLD=30100", "AL=1 carry", 1);
    for (call, error) in [
        ("AH=1 ELM=31000 FLD=30100 KT=9", 1),
        ("AH=2 ELM=31000 FLD=30100 KT=9", 7),
        ("AH=3 ELM=31000", 1),
        ("AH=4 ELM=31000 FLD=31040", 1),
        ("AH=5 ELM=31000", 1),
        ("AH=7 ELM=31000 FLD=30100 KT=9", 7),
        ("AH=2 ELM=31080 FLD=30100 KT=9", 2),
    ] {
        fixture.check(0x15, call, &format!("AL={error} carry"), 1);
    }
}

#[test]
fn sizes_beyond_memory_are_refused() {
    let mut fixture = Fixture::new();
    fixture.string(NAMES, "A");
    for call in ["AH=2", "AH=7"] {
        let call = format!("{call} ELM=31000 FLD=0 KT=FFFFFFFF");
        fixture.check(0x15, &call, "AL=4 carry", 1);
    }
    assert!(fixture.bios.disk().entries().unwrap().is_empty());
}

/// A machine whose kernal, at $010100, calls INT $20 with A, ELM and FLD as
/// set, and then halts.
fn kernal(files: &[(&str, &[u8])]) -> Fixture<MemoryDisk> {
    let mut fixture = Fixture::with_disk(MemoryDisk::from_files(files.iter().copied()).unwrap());
    let image = b"SDX1\x00\x01\x01\x01\x00\x00\x01\x01\x03\x00\x00\x88\x20\x8C";
    let mut machine = Machine::new();
    machine.start(&Image::parse(image, true).unwrap(), b"").unwrap();
    fixture.machine = machine;
    fixture
}

/// LDA code, INT $20.
fn exits_with(code: u8) -> Vec<u8> {
    vec![0x00, 0x00, code, 0x00, 0x88, 0x20]
}

const CALLER_NAME: u32 = 0x01_8000;
const CALLER_ARGUMENTS: u32 = 0x01_8100;

#[test]
fn a_program_runs_and_its_caller_goes_on() {
    let mut fixture = kernal(&[("game.PRG", &exits_with(42))]);
    fixture.string(CALLER_NAME, "game").string(CALLER_ARGUMENTS, "one two");
    fixture.machine.memory_mut().write(VECTORS.start + 30, 3, 0x01_9000);
    fixture.machine.memory_mut().set_byte(0x4000, 0x77);
    fixture.machine.memory_mut().set_byte(0x04_0000, 0x77);
    fixture.set("A=100 B=0 ELM=18000 FLD=18100 X=1234");
    assert_eq!(fixture.machine.step(&mut fixture.bios), None);
    assert_eq!((fixture.machine.ip(), fixture.machine.program_depth()), (USER_ORIGIN, 1));
    assert_eq!(fixture.reg("X"), 0);
    assert_eq!(fixture.string_at(ARGUMENTS.start), "one two");
    let memory = fixture.machine.memory();
    assert_eq!((memory.byte(0x4000), memory.byte(0x04_0000)), (0, 0));
    assert_eq!(memory.read(VECTORS.start + 30, 3), 0);
    assert_eq!(fixture.machine.step(&mut fixture.bios), None);
    assert_eq!(fixture.machine.step(&mut fixture.bios), None);
    assert_eq!((fixture.machine.ip(), fixture.machine.program_depth()), (0x01_0102, 0));
    assert_eq!((fixture.reg("B"), fixture.reg("X"), fixture.carry()), (42, 0x1234, false));
    assert_eq!(fixture.machine.memory().read(VECTORS.start + 30, 3), 0x01_9000);
    assert_eq!(fixture.machine.step(&mut fixture.bios), Some(Stop::Exit(0)));
}

#[test]
fn names_of_programs() {
    let files: Vec<(&str, Vec<u8>)> =
        [("GAME", 1), ("GAME.PRG", 2), ("game.prg", 3), ("Tool.Prg", 4)]
            .map(|(name, code)| (name, exits_with(code)))
            .into();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
    for (asked, code) in
        [("GAME", 1), ("game", 1), ("GAME.PRG", 2), ("game.prg", 3), ("tool", 4), ("TOOL.PRG", 4)]
    {
        let mut fixture = kernal(&files);
        fixture.string(CALLER_NAME, asked).set("A=100 ELM=18000 FLD=18100");
        for _ in 0..3 {
            fixture.machine.step(&mut fixture.bios);
        }
        assert_eq!((fixture.reg("B"), fixture.carry()), (code, false), "{asked}");
    }
}

#[test]
fn programs_that_cannot_be_run() {
    let lying = b"SDX1\x00\x01\x02\x01\x00\x00\x01\x02\xFF\xFF\xFF\x88";
    let kernal_area = b"SDX1\x00\x01\x01\x01\x00\x00\x01\x01\x01\x00\x00\x8D";
    let large = vec![0x8D; 0xDC01];
    let files = [("lying", &lying[..]), ("kernal", kernal_area), ("large", &large), ("empty", b"")];
    for (function, asked, error) in [
        (1, "none", 1),
        (1, "a/b", 2),
        (1, "", 2),
        (1, "large", 3),
        (1, "lying", 8),
        (1, "kernal", 8),
        (2, "none", 1),
        (2, "a/b", 2),
        (2, "large", 3),
        (2, "lying", 8),
    ] {
        let mut fixture = kernal(&files);
        fixture.string(CALLER_NAME, asked).set(&format!("AH={function} ELM=18000 FLD=18100"));
        let before = fixture.machine.words();
        assert_eq!(fixture.machine.step(&mut fixture.bios), None);
        assert!(fixture.carry());
        assert_eq!(fixture.reg("AL"), error, "{function} {asked}");
        assert_eq!((fixture.machine.ip(), fixture.machine.program_depth()), (0x01_0102, 0));
        assert_eq!(fixture.machine.words()[1..], before[1..]);
    }
}

#[test]
fn arguments_are_not_cut() {
    let mut fixture = kernal(&[("x", &exits_with(5))]);
    fixture.string(CALLER_NAME, "x").string(CALLER_ARGUMENTS, &"y".repeat(256));
    fixture.set("A=100 ELM=18000 FLD=18100");
    fixture.machine.step(&mut fixture.bios);
    assert_eq!((fixture.carry(), fixture.reg("AL")), (true, 3));
}

#[test]
fn only_a_kernal_runs_programs() {
    let mut fixture =
        Fixture::with_disk(MemoryDisk::from_files([("x", &exits_with(5)[..])]).unwrap());
    fixture.string(NAMES, "x");
    fixture.check(0x20, "AH=1 ELM=31000 FLD=30000", "AL=9 carry", 1);
    fixture.check(0x20, "AH=2 ELM=31000 FLD=30000", "FLD=20100", 1);
}

#[test]
fn a_program_can_be_loaded_without_being_run() {
    let mut bytes = b"SDX1\x04\x00\x05\x02\x00\x00\x00\x05\x02\x00\x00ab".to_vec();
    bytes.extend(b"\x00\x00\x06\x03\x00\x00xyz");
    let mut fixture =
        Fixture::with_disk(MemoryDisk::from_files([("OVER.PRG", &bytes[..])]).unwrap());
    fixture.string(NAMES, "over");
    fixture.check(0x20, "AH=2 ELM=31000 FLD=30000", "FLD=50004", 1);
    assert_eq!(fixture.machine.memory().slice(0x05_0000..0x05_0003), b"ab\0");
    assert_eq!(fixture.machine.memory().slice(0x06_0000..0x06_0004), b"xyz\0");
}

#[test]
fn code_loaded_over_the_program_is_not_written_over_for_the_checking_mode() {
    // INC Y at $020106
    let image = b"SDX1\x00\x01\x02\x01\x00\x06\x01\x02\x02\x00\x00\x15\x03";
    let files = [("INC_X", &[21, 2][..]), ("INC_Y", &image[..])];
    let mut fixture = Fixture::with_disk(MemoryDisk::from_files(files).unwrap());
    let program = [0x88, 0x15, 255, 255, 0x88, 0x20, 255, 255, 0x88, 0x20];
    fixture.machine.set_sanitize(true);
    fixture.machine.start(&Image::parse(&program, false).unwrap(), b"").unwrap();
    for (name, service) in [("INC_X", "AH=1 ELM=31000 FLD=20102 KT=2"), ("INC_Y", "AH=2 ELM=31000")]
    {
        fixture.string(NAMES, name).set(service);
        assert_eq!(fixture.machine.step(&mut fixture.bios), None);
        assert_eq!(fixture.machine.step(&mut fixture.bios), None);
    }
    assert_eq!((fixture.reg("X"), fixture.reg("Y")), (1, 1));
    fixture.set("A=0");
    assert_eq!(fixture.machine.step(&mut fixture.bios), Some(Stop::Exit(0)));
}

#[test]
fn exit_codes_and_arguments() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.set("A=7").int(0x20), Some(Stop::Exit(7)));
    let mut fixture = Fixture::new();
    let image = Image::parse(&[0x88, 0x20], false).unwrap();
    fixture.machine.start(&image, b"-x file").unwrap();
    fixture.check(0x20, "AH=3 FLD=30100", "", 1);
    assert_eq!(fixture.string_at(TEXT + 0x100), "-x file");
}

#[test]
fn a_full_disk_keeps_the_old_file() {
    let mut fixture = Fixture::with_disk(MemoryDisk::with_capacity(10));
    fixture.string(NAMES, "A").string(TEXT, "0123456789");
    fixture.set("AH=2 ELM=31000 FLD=30000 KT=A").int(0x15);
    assert!(!fixture.carry());
    fixture.check(0x15, "AH=2 ELM=31000 FLD=30000 KT=B", "AL=4 carry", 1);
    fixture.check(0x15, "AH=7 ELM=31000 FLD=30000 KT=1", "AL=4 carry", 1);
    assert_eq!(fixture.bios.disk().load(&name("A"), 99).unwrap(), b"0123456789");
    assert_eq!(fixture.bios.disk().load(&name("A"), 9), Err(DiskError::DoesNotFit));
}
