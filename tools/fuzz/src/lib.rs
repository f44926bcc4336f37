//! What is fuzzed: functions that take any bytes and panic when something
//! does not hold that always must. `fuzz/` gives them to cargo-fuzz, the
//! program beside this file runs them on any compiler.

use std::io;
use std::path::{Path, PathBuf};

use sd8516::Image;
use sda::disassemble::Disassembly;
use sda::lint::{self, Rules};
use sda::{Assembly, Files, Options, assemble, flow};

/// A name and what it does with an input.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 6] = [
    ("lexer", lexer),
    ("assembler", assembler),
    ("image", image),
    ("disassembler", disassembler),
    ("lint", lint),
    ("engines", engines),
];

/// One file and nothing else.
struct OneFile<'a>(&'a [u8]);

const NAME: &str = "fuzz.sda";

impl Files for OneFile<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if self.exists(path) { Ok(self.0.to_vec()) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn exists(&self, path: &Path) -> bool {
        path == Path::new(NAME)
    }
}

fn assembled(source: &[u8], kernal: bool) -> Assembly {
    let options = Options { kernal, ..Options::default() };
    assemble(&[PathBuf::from(NAME)], &OneFile(source), &options)
}

/// Tokens: lines in a macro that nobody calls are read as tokens alone, and a
/// formatted source stays as it is when it is formatted again.
pub fn lexer(data: &[u8]) {
    let body = [b".macro fuzz\n", data, b"\n.endm\n"].concat();
    let assembly = assembled(&body, false);
    assert_eq!(assembly.program.is_none(), assembly.diagnostics.has_errors());
    if let Ok(text) = std::str::from_utf8(data) {
        let once = sda::fmt::format(text);
        assert_eq!(sda::fmt::format(&once), once, "formatting again changes something");
    }
}

/// The whole assembler: a program or errors, messages that can be shown, a
/// program that the machine accepts, and the same one from the source in the
/// layout.
pub fn assembler(data: &[u8]) {
    let assembly = assembled(data, false);
    let diagnostics = &assembly.diagnostics;
    assert_eq!(assembly.program.is_none(), diagnostics.has_errors());
    let lines = diagnostics.json().lines().count();
    assert_eq!(lines, diagnostics.iter().count(), "a message is not one line of JSON");
    assert_eq!(diagnostics.render(false).is_empty(), diagnostics.is_empty());
    let Some(program) = assembly.program else { return };
    let image = Image::parse(&program.prg(), false).expect("the machine takes what was assembled");
    assert_eq!(image.entry, program.entry);
    // Text outputs, of programs of a size that people would print.
    if program.segments.iter().map(|segment| segment.bytes.len()).sum::<usize>() < 0x1_0000 {
        let _ = (program.listing(), program.symbols_json(), program.map(), program.ihex());
    }
    let again = assembled(data, false).program.expect("it assembled before");
    assert_eq!(again.prg(), program.prg(), "the same source gives other bytes");
    // A source may embed its own text, which formatting does change.
    let text = std::str::from_utf8(data).ok().filter(|text| !text.contains(NAME));
    if let Some(text) = text {
        let formatted = sda::fmt::format(text);
        let again = assembled(formatted.as_bytes(), false);
        let again = again.program.unwrap_or_else(|| panic!("no program any more: {formatted}"));
        assert_eq!(again.prg(), program.prg(), "formatting changes bytes: {formatted}");
    }
}

/// The image loader: refuses, or gives segments that lie where it says.
pub fn image(data: &[u8]) {
    for kernal in [false, true] {
        let Ok(image) = Image::parse(data, kernal) else { continue };
        let mut segments: Vec<(u32, u32)> = image
            .segments
            .iter()
            .map(|segment| (segment.address, segment.address + segment.bytes.len() as u32))
            .filter(|(start, end)| start < end)
            .collect();
        segments.sort_unstable();
        assert!(segments.windows(2).all(|pair| pair[0].1 <= pair[1].0), "segments overlap");
        assert!(segments.iter().all(|&(_, end)| end <= 0xF0_0000), "a segment is out of place");
        image.check(kernal).expect("what was parsed is checked");
    }
}

/// The disassembler: its text assembles to the bytes that it was made of.
pub fn disassembler(data: &[u8]) {
    let Ok(image) = Image::parse(data, true) else { return };
    let pieces = image.segments.iter().map(|segment| (segment.address, &segment.bytes[..]));
    let disassembly = Disassembly {
        image: flow::Image::new(pieces),
        entry: image.entry,
        names: Vec::new(),
        addresses: data.len() % 2 == 1,
    };
    let mut text = Vec::new();
    disassembly.write(&mut text).expect("memory takes everything");
    let assembly = assembled(&text, true);
    let Some(program) = assembly.program else {
        panic!("{}\n{}", String::from_utf8_lossy(&text), assembly.diagnostics.render(false));
    };
    assert_eq!(program.entry, image.entry, "{}", String::from_utf8_lossy(&text));
    let segments = program.segments.into_iter().map(|segment| (segment.address, segment.bytes));
    let wanted = image.segments.into_iter().map(|segment| (segment.address, segment.bytes));
    assert_eq!(joined(segments), joined(wanted), "{}", String::from_utf8_lossy(&text));
}

/// Lint: of any program the findings have a place, and are the same when it
/// looks again.
pub fn lint(data: &[u8]) {
    let assembly = assembled(data, true);
    let report = lint::lint(&assembly, &Rules::default());
    let Some(program) = &assembly.program else {
        assert!(report.findings.is_empty(), "findings without a program");
        return;
    };
    for list in [&report.findings, &report.unused_notes] {
        for one in list.iter() {
            let place = list.location(one);
            assert!(place.file == NAME && place.line > 0, "{} has no place", one.code());
        }
        assert_eq!(list.json().lines().count(), list.iter().count(), "{}", list.render(false));
    }
    let again = lint::lint(&assembly, &Rules::default());
    assert_eq!(again.findings.json(), report.findings.json(), "other findings");
    let _ = lint::shown(program);
}

/// The engines: a program and a state that follow from the bytes, on every
/// engine and on a second, plain CPU.
pub fn engines(data: &[u8]) {
    differential::check(&mut differential::choices::Choices::from_bytes(data));
}

/// The pieces by address, touching ones in one.
fn joined(pieces: impl Iterator<Item = (u32, Vec<u8>)>) -> Vec<(u32, Vec<u8>)> {
    let mut pieces: Vec<_> = pieces.filter(|(_, bytes)| !bytes.is_empty()).collect();
    pieces.sort_unstable();
    pieces.dedup_by(|next, last| {
        let touches = last.0 as usize + last.1.len() == next.0 as usize;
        if touches {
            last.1.append(&mut next.1);
        }
        touches
    });
    pieces
}
