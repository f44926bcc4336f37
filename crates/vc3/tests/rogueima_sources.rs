//! Rogueima's sources and tables as such: counts that are fixed, files of a size
//! that can be read, variables that nobody numbers, nothing written twice.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use bios::{Bios, NoDisk};
use sd8516::{Image, Input, Key, Machine, Stop};
use sda::{HostFiles, Options, Program};

/// Lines of one file, at most.
const LONGEST: usize = 600;
/// So many instructions in a row that stand in two places are one routine.
const REPEATED: usize = 12;

/// The folder of the game.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/rogueima")
}

fn game() -> Program {
    let assembly = sda::assemble(&[folder().join("rogueima.sda")], &HostFiles, &Options::default());
    assembly.program.unwrap_or_else(|| panic!("{}", assembly.diagnostics.render(false)))
}

/// The sources: name and text, those in maps/ and in the library among them.
fn sources() -> Vec<(String, String)> {
    let sources = sources_in(&["", "maps", "../lib"]);
    assert!(sources.len() > 90);
    sources
}

/// The sources in folders beside the game's, or in them.
fn sources_in(folders: &[&str]) -> Vec<(String, String)> {
    let folders = folders.iter().map(|name| folder().join(name));
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).expect("a folder"));
    let paths = files.map(|file| file.expect("a file").path());
    let mut sources: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "sda"))
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("text"))
        })
        .collect();
    sources.sort();
    sources
}

/// A line without its comment and the blanks around it.
fn code(line: &str) -> &str {
    line.split(';').next().unwrap_or_default().trim()
}

#[test]
fn the_counts_that_are_fixed() {
    let program = game();
    let value = |name: &str| program.symbols.lookup(name).unwrap_or_else(|| panic!("{name}")).value;
    assert_eq!(value("MONSTER_KINDS"), 28);
    assert_eq!(value("ITEM_KINDS"), 41);
    assert_eq!(value("TK_COUNT"), 26);
    assert_eq!(value("TK_TEMP"), value("TK_COUNT"));
    assert_eq!((value("TK_UP"), value("TK_DOWN")), (6, 7));
    assert!(value("RUMOUR_COUNT") >= 60);
    assert_eq!((value("OBJ.size"), value("OBJ_COUNT")), (39, 420));
    assert_eq!((value("MO.size"), value("TI.size"), value("CD.size")), (29, 9, 9));
    assert_eq!(value("SLOT_COUNT"), 13);
    assert_eq!(value("LEVEL_COUNT"), 12);
    assert_eq!((value("MSG_W"), value("MSG_H")), (19, 13));
}

/// What the old notes quote must be in the program word for word.
#[test]
fn the_words_that_are_fixed() {
    let program = game();
    let bytes: Vec<u8> = program.segments.iter().flat_map(|part| part.bytes.clone()).collect();
    let words = [
        "OPEN DOOR",
        "INVENTORY",
        "Weapons",
        "Armour",
        "-- press any key --",
        "-- more --",
        "Energy: ",
        "T:",
        "You died.",
        "Really attack?",
        "blessed ",
        "cursed ",
        "uncursed ",
        "The sunsword seems to glow and gleam with an unearthly light!",
        "You've got a bad feeling about this...",
        "You have escaped the dungeons of doom!",
        "They shrug, and say nothing about that.",
        "Ask about a subject -- try NAME, or JOB. BYE to stop.",
        "Peckish",
        "Hungry",
        "Famished",
        "Weak",
        "Faint",
        "Starving",
    ];
    for text in words {
        let found = bytes.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(found, "{text:?} is not in the program");
    }
}

#[test]
fn no_file_is_longer_than_600_lines() {
    for (name, text) in sources() {
        let lines = text.lines().count();
        assert!(lines <= LONGEST, "{name} has {lines} lines");
    }
}

/// `.var` lays the variables out, and one page begins where another ends. Only
/// bios.sda knows addresses, which are the machine's.
#[test]
fn no_address_is_numbered_by_hand() {
    let is_address = |digits: &str| {
        let number: String = digits.chars().take_while(char::is_ascii_hexdigit).collect();
        u32::from_str_radix(&number, 16).is_ok_and(|value| value >= 0x01_0000)
    };
    let places = [".equ", ".address", ".org", ".page", ".ptrs", ".var"];
    for (name, text) in programs() {
        let lines = text.lines().map(code).filter(|line| {
            line.contains('[') || places.iter().any(|place| line.starts_with(place))
        });
        for line in lines {
            let numbered = line.split('$').skip(1).any(is_address);
            assert!(!numbered, "{name}: {line}");
        }
    }
}

/// A part of a record has a name; only a neighbour, a byte further, needs none.
#[test]
fn no_offset_is_numbered_by_hand() {
    for (name, text) in programs() {
        for line in text.lines().map(code) {
            let Some((_, place)) = line.split_once('[') else { continue };
            let Some((place, _)) = place.split_once(']') else { continue };
            let last = place.rsplit(['+', '-']).next().unwrap_or_default().trim();
            let numbered =
                place != last && last.trim_start_matches('$').parse().is_ok_and(|n: u32| n > 1);
            assert!(!numbered, "{name}: {line}");
        }
    }
}

/// What ships, the shell included: no tests, nor the names of the machine's places.
fn programs() -> impl Iterator<Item = (String, String)> {
    let ours = |name: &str| name != "bios.sda" && !name.starts_with("test_");
    sources().into_iter().chain(sources_in(&["../shell"])).filter(move |(name, _)| ours(name))
}

/// Labels do not count: code that jumps to other names is still the same code.
#[test]
fn no_routine_stands_in_two_places() {
    let mut seen: BTreeMap<Vec<String>, String> = BTreeMap::new();
    let mut twice = Vec::new();
    for (name, text) in sources() {
        if name.starts_with("test_") {
            continue;
        }
        let mut stretch: VecDeque<String> = VecDeque::new();
        for (number, line) in text.lines().enumerate() {
            let line = code(line);
            if line.is_empty() || line.ends_with(':') {
                continue;
            }
            if line.starts_with('.') {
                stretch.clear();
                continue;
            }
            stretch.push_back(line.split_whitespace().collect::<Vec<_>>().join(" "));
            if stretch.len() > REPEATED {
                stretch.pop_front();
            }
            if stretch.len() == REPEATED {
                let place = format!("{name}:{}", number + 1);
                if let Some(first) = seen.insert(stretch.iter().cloned().collect(), place.clone()) {
                    twice.push(format!("{first} and {place}"));
                }
            }
        }
    }
    assert!(twice.is_empty(), "the same {REPEATED} instructions end at\n{}", twice.join("\n"));
}

/// What others call says in a comment above it what it does.
#[test]
fn every_routine_has_a_header() {
    let sources = sources();
    let jumps = ["CALL", "JMP", "BRA", "BSR", "JC", "JNC", "JZ", "JNZ"];
    let mut called = BTreeSet::new();
    for line in sources.iter().flat_map(|(_, text)| text.lines()).map(code) {
        if let Some((jump, target)) = line.split_once(" @")
            && jumps.contains(&jump)
        {
            called.insert(target);
        }
    }
    let mut bare = Vec::new();
    for (name, text) in &sources {
        let pairs = text.lines().zip(text.lines().skip(1)).enumerate();
        for (number, (above, line)) in pairs {
            let is_called = line.strip_suffix(':').is_some_and(|label| called.contains(label));
            if is_called && above.trim().is_empty() && !name.starts_with("test_") {
                bare.push(format!("{name}:{}: {line}", number + 2));
            }
        }
    }
    assert!(bare.is_empty(), "no header:\n{}", bare.join("\n"));
}

/// The evidence that ROADMAP.md names is there: unit programs and what they
/// measure, tests of this folder, cases of the assembler.
#[test]
fn the_tests_that_the_roadmap_names_exist() {
    let roadmap = std::fs::read_to_string(folder().join("ROADMAP.md")).expect("ROADMAP.md");
    let table = roadmap.split("## What went wrong once").nth(1).expect("the table");
    let table = table.split("\n## ").next().expect("its end");
    let tests = tests_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"));
    let sources = sources();
    let unit = |name: &str| sources.iter().find(|(file, _)| *file == format!("{name}.sda"));
    let mut missing = Vec::new();
    let rows: Vec<_> = table.lines().filter_map(|row| row.rsplit('|').nth(1)).collect();
    assert!(rows.len() > 40, "{} rows", rows.len());
    for proof in rows.iter().skip(2) {
        for name in proof.split('`').skip(1).step_by(2).filter(|name| name.contains("_")) {
            if name != "decode_dir" && !tests.contains(name) {
                missing.push(name.to_owned());
            }
        }
        for case in proof.split("asm/").skip(1) {
            let name: String =
                case.chars().take_while(|&c| c == '_' || c.is_alphanumeric()).collect();
            if !folder().join(format!("../../tests/asm/{name}.sda")).exists() {
                missing.push(format!("asm/{name}"));
            }
        }
        for part in proof.split("test_").skip(1) {
            let end = part.find(|c: char| !c.is_alphanumeric()).unwrap_or(part.len());
            let (name, rest) = part.split_at(end);
            let Some((_, text)) = unit(&format!("test_{name}")) else {
                missing.push(format!("test_{name}"));
                continue;
            };
            let Some(measured) = rest.strip_prefix(" (").and_then(|rest| rest.split(')').next())
            else {
                continue;
            };
            for cell in measured.split(',').map(str::trim).filter(|cell| !cell.contains(' ')) {
                if !text.contains(&format!(".expect {cell}")) {
                    missing.push(format!("test_{name} ({cell})"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "ROADMAP.md names what is not there: {missing:?}");
}

/// The text of every test source below a folder.
fn tests_of(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            text += &tests_of(&path);
        } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "snap") {
            text += &path.file_stem().expect("a name").to_string_lossy();
            text += &std::fs::read_to_string(&path).expect("text");
        }
    }
    text
}

/// The old game's monsters never came because a register still held what the
/// title screen had left in it. Here nothing depends on what lies in memory.
#[test]
fn what_lay_in_memory_before_changes_nothing() {
    let image = Image::parse(&game().prg(), false).expect("a sound image");
    let play = |litter: u8| {
        let mut machine = Machine::new();
        for address in 0x03_0000..0x0A_0000 {
            machine.memory_mut().set_byte(address, litter);
        }
        machine.start(&image, b"").expect("an image that fits");
        let keys = b"n\rljlljllmx\r\x1B.jjjjjjjjjjjjjjjjjjjjjz\t_>\r>lllls?\x1B";
        let keys: VecDeque<_> = keys.iter().map(|&code| Key { code, flags: 0 }).collect();
        machine.set_input(Input::List(keys));
        assert_eq!(machine.run(&mut Bios::new(NoDisk), 2_000_000_000), Stop::KeysUsedUp);
        machine.picture()
    };
    let clean = play(0);
    for litter in [0x55, 0xA5, 0xFF] {
        let littered = play(litter);
        assert_eq!(clean.glyphs, littered.glyphs, "after ${litter:02X}");
        assert_eq!(clean.colours, littered.colours, "after ${litter:02X}");
    }
}

/// Words that the people of Brynn say in capitals are those worth asking about.
#[test]
fn words_in_capitals_are_answered_by_somebody() {
    let sources = sources();
    let (_, brynn) = sources.iter().find(|(name, _)| name == "brynn.sda").expect("the village");
    let lines = || brynn.lines().filter_map(|line| line.trim().strip_prefix(".asciiz \""));
    let said = lines().filter(|line| line.starts_with("CHAT ") || line.starts_with("REPLY "));
    let said = said.filter(|line| !line.starts_with("CHAT RANDOM")); // which stands for a rumour
    let spoken = said.flat_map(|line| line.split(|c: char| !c.is_ascii_alphabetic()).skip(1));
    let capitals: BTreeSet<_> = spoken
        .filter(|word| word.len() > 1 && word.bytes().all(|letter| letter.is_ascii_uppercase()))
        .map(str::to_lowercase)
        .collect();
    let answers =
        lines().filter_map(|line| line.strip_prefix("REPLY ").or(line.strip_prefix("GIVE ")));
    let answered: BTreeSet<_> = answers.filter_map(|line| line.split(' ').next()).collect();
    for word in ["sunsword", "castle", "well", "pie"] {
        assert!(capitals.contains(word), "{word} is worth asking about: {capitals:?}");
    }
    for word in &capitals {
        assert!(answered.contains(word.as_str()), "nobody knows of {word}: {answered:?}");
    }
}
