//! The library from outside: options, output formats, symbols, line table
//! and expectations of an assembled program.

mod memory;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use memory::Memory;
use sda::{Assembly, Files, HostFiles, Level, Options, Program, SymbolKind, assemble};

fn files(list: &[(&str, &str)]) -> Memory {
    Memory(list.iter().map(|(name, text)| (name.into(), text.as_bytes().to_vec())).collect())
}

fn run_with(source: &str, options: &Options) -> Assembly {
    assemble(&["a.sda".into()], &files(&[("a.sda", source)]), options)
}

fn program(source: &str) -> Program {
    let assembly = run_with(source, &Options::default());
    assembly.program.unwrap_or_else(|| panic!("{}", assembly.diagnostics.render(false)))
}

fn codes(assembly: &Assembly) -> Vec<&'static str> {
    assembly.diagnostics.iter().map(|one| one.code()).collect()
}

#[test]
fn a_prg_holds_ascending_joined_segments() {
    let program = program(
        ".address $030000\nfirst: NOP\n.address $020100\nNOP\n.res 1\nRET\n.address $020101\n.address $030001\nRET\n",
    );
    assert_eq!(program.entry, 0x03_0000, "the first byte in source order");
    assert_eq!(
        program.prg(),
        [
            b"SDX1".as_slice(),
            &[0x00, 0x00, 0x03, 3, 0],
            &[0x00, 0x01, 0x02, 1, 0, 0, 141],
            &[0x02, 0x01, 0x02, 1, 0, 0, 133],
            &[0x00, 0x00, 0x03, 2, 0, 0, 141, 133],
        ]
        .concat()
    );
}

#[test]
fn an_entry_may_be_named() {
    assert_eq!(program("NOP\nmain: RET\n.entry main").entry, 0x02_0101);
    assert_eq!(program(".entry @main + 1\nmain: RET").entry, 0x02_0101);
    assert_eq!(program(".res 5\nNOP").entry, 0x02_0105);
    assert_eq!(program("").entry, 0x02_0100);
    assert_eq!(program("").prg(), *b"SDX1\x00\x01\x02\x00\x00");
}

#[test]
fn a_raw_binary_has_zeros_in_its_holes() {
    let program = program("NOP\n.res 2\nRET\n");
    assert_eq!(program.raw().unwrap(), [141, 0, 0, 133]);
    assert_eq!(self::program("").raw().unwrap(), []);
    let taken = self::program(".ascii \"SDX1\"").raw();
    assert!(taken.unwrap_err().to_string().contains("SDX1"));
}

#[test]
fn intel_hex_has_banks_and_checksums() {
    let program = program(".address $02FFFE\nLDA $1234\n.address $020100\nNOP\n.entry $02FFFE");
    assert_eq!(
        program.ihex(),
        ":020000040002F8\n:010100008D71\n:02FFFE00000001\n:020000040003F7\n\
         :020000003412B8\n:040000050002FFFEF8\n:00000001FF\n"
    );
}

#[test]
fn include_folders_are_searched_in_order() {
    let host = files(&[
        ("src/a.sda", ".include \"x.sda\"\n.include \"y.sda\"\n.incbin \"z.bin\"\n"),
        ("src/x.sda", ".bytes 1\n"),
        ("one/x.sda", ".bytes 9\n"),
        ("two/y.sda", ".bytes 2\n.include \"z.sda\""),
        ("two/z.sda", ".bytes 3\n"),
        ("src/z.sda", ".bytes 9\n"),
        ("two/z.bin", "4"),
    ]);
    let options = Options { include_dirs: vec!["one".into(), "two".into()], ..Options::default() };
    let assembly = assemble(&["src/a.sda".into()], &host, &options);
    assert_eq!(assembly.program.unwrap().segments[0].bytes, [1, 2, 3, b'4']);
    let host = files(&[("src/a.sda", ".include \"none.sda\"")]);
    let text = assemble(&["src/a.sda".into()], &host, &options).diagnostics.render(false);
    assert!(
        text.contains("looked for `src/none.sda`, then `one/none.sda`, then `two/none.sda`"),
        "{text}"
    );
}

#[test]
fn constants_come_from_the_command_line() {
    let mut options = Options {
        defines: vec![("DEBUG".into(), 5), ("LOW".into(), -1), ("WIDE".into(), u64::MAX.into())],
        ..Options::default()
    };
    let source = ".ifdef DEBUG\n.bytes DEBUG, LOW\n.endif\nLDABCD WIDE\n";
    let assembly = run_with(source, &options);
    assert_eq!(
        assembly.program.unwrap().segments[0].bytes,
        [5, 255, 0, 53, 255, 255, 255, 255, 255, 255, 255, 255]
    );
    let twice = run_with(".equ DEBUG 1", &options);
    assert_eq!(codes(&twice), ["E0302"]);
    assert!(twice.diagnostics.render(false).contains("<command line>:1:1"));
    options.defines = vec![("5x".into(), 1), ("a b".into(), 1), ("big".into(), i128::MAX)];
    assert_eq!(codes(&run_with("", &options)), ["E0201", "E0201", "E0104"]);
}

#[test]
fn a_kernal_may_lie_where_the_kernal_lies() {
    let source = ".address $010100\nNOP\n.address $01DBFF\nNOP\n";
    assert_eq!(codes(&run_with(source, &Options::default())), ["E0602", "E0602"]);
    let options = Options { kernal: true, ..Options::default() };
    assert!(run_with(source, &options).program.is_some());
    assert_eq!(codes(&run_with(".address $01DC00\nNOP", &options)), ["E0602"]);
}

#[test]
fn warnings_may_be_errors() {
    let source = ".warn \"look\"\n";
    let lax = run_with(source, &Options::default());
    assert!(lax.program.is_some());
    assert_eq!((lax.diagnostics.error_count(), lax.diagnostics.warning_count()), (0, 1));
    let options = Options { warnings_are_errors: true, ..Options::default() };
    let strict = run_with(source, &options);
    assert!(strict.program.is_none() && strict.diagnostics.has_errors());
    assert!(strict.diagnostics.iter().all(|one| one.level() == Level::Error));
    assert!(run_with("NOP", &options).diagnostics.is_empty());
}

#[test]
fn symbols_are_found_by_name_and_by_address() {
    let program = program(
        "main: NOP\n.loop: NOP\nNOP\nsame: also: RET\n.equ FIVE 5\nPLACE = @main + 1\n.page $030000, 8\n.var v, 4\n.endp\n.macro m\ninner: NOP\n.endm\nm\n",
    );
    let symbols = &program.symbols;
    let value = |name: &str| symbols.lookup(name).map(|symbol| (symbol.value, symbol.kind));
    assert_eq!(value("main"), Some((0x02_0100, SymbolKind::Label)));
    assert_eq!(value("main.loop"), Some((0x02_0101, SymbolKind::Local)));
    assert_eq!(value("FIVE"), Some((5, SymbolKind::Constant)));
    assert_eq!(value("v"), Some((0x03_0000, SymbolKind::Variable)));
    assert_eq!(value("inner"), None, "an expansion's own");
    assert!(symbols.lookup("PLACE").unwrap().address && !symbols.lookup("FIVE").unwrap().address);
    assert!(symbols.iter().any(|one| one.name == "inner" && one.scope.starts_with("m#")));
    assert_eq!(symbols.nearest(0x02_0100), Some(("main", 0)));
    assert_eq!(symbols.nearest(0x02_0102), Some(("main.loop", 1)));
    assert_eq!(symbols.nearest(0x02_0103), Some(("same", 0)));
    assert_eq!(symbols.nearest(0x02_0104), Some(("same", 1)));
    assert_eq!(symbols.nearest(0x02_00FF), None);
    assert_eq!(symbols.nearest(0xF0_0000), None, "too far from anything");
}

#[test]
fn the_line_table_names_the_caller_of_a_macro() {
    let host = files(&[
        ("a.sda", ".macro m\nNOP\nRET\n.endm\nNOP\nm\n.include \"b.sda\"\n.rept 2\nNOP\n.endr\n"),
        ("b.sda", "\nm\n"),
    ]);
    let program = assemble(&["a.sda".into()], &host, &Options::default()).program.unwrap();
    let at = |offset: u32| program.lines.at(0x02_0100 + offset);
    assert_eq!(at(0), Some(("a.sda", 5)));
    assert_eq!((at(1), at(2)), (Some(("a.sda", 6)), Some(("a.sda", 6))));
    assert_eq!((at(3), at(4)), (Some(("b.sda", 2)), Some(("b.sda", 2))));
    assert_eq!((at(5), at(6)), (Some(("a.sda", 9)), Some(("a.sda", 9))));
    assert_eq!((at(7), program.lines.at(0)), (None, None));
}

#[test]
fn expectations_carry_their_place() {
    let program = program(
        "v: .words 0\n.expect @v, 2, 3, \"three\"\n.expect v, 8, -1, \"ones\"\n.expect v + 1, 1, 5, 9, \"between\"\n.macro check p\n.expect \\p, 1, 0, \"zero\"\n.endm\n\ncheck v\n",
    );
    let found: Vec<_> = program
        .expectations
        .iter()
        .map(|one| (one.address, one.width, one.low, one.high, one.text.as_str(), one.line))
        .collect();
    assert_eq!(
        found,
        [
            (0x02_0100, 2, 3, 3, "three", 2),
            (0x02_0100, 8, u64::MAX, u64::MAX, "ones", 3),
            (0x02_0101, 1, 5, 9, "between", 4),
            (0x02_0100, 1, 0, 0, "zero", 9),
        ]
    );
}

#[test]
fn the_listing_shows_bytes_time_and_expansions() {
    let host = files(&[
        (
            "a.sda",
            "; a listing\nstart:\n    LDA $0201 ; load\n    INT $10\n    MEMCOPY ELM, FLD, B\n    REMQUE ELM\n.macro two\n    NOP\n    RET\n.endm\n    two\n.include \"b.sda\"\n.fill 20, 7\n.res 3\n.page $030000, 4\n.var v, 4\n.endp\n.fill 100\n",
        ),
        ("b.sda", "; included\n    JA start\n; its end\n"),
    ]);
    let program = assemble(&["a.sda".into()], &host, &Options::default()).program.unwrap();
    insta::assert_snapshot!(program.listing());
}

#[test]
fn symbols_lines_and_map_as_text() {
    let program = program(
        "main: NOP\n.equ WIDE $FFFFFFFFFFFFFFFF\n.expect @main, 1, 2, \"a \\\"text\\\"\\n\"\n.address $02FFFF\nend: LDA 1\n.page $030010, 4\n.var v, 4\n.endp\n",
    );
    insta::assert_snapshot!("symbols_json", program.symbols_json());
    insta::assert_snapshot!("map", program.map());
}

#[test]
fn a_file_that_is_not_there_is_one_error() {
    let assembly = assemble(&["gone.sda".into()], &files(&[]), &Options::default());
    assert!(assembly.program.is_none());
    let text = assembly.diagnostics.render(false);
    assert!(text.starts_with("gone.sda:1:1: error[E0109]: cannot be read: "), "{text}");
    assert_eq!(assembly.diagnostics.error_count(), 1);
}

#[test]
fn a_source_that_is_not_utf8_is_one_error_at_its_place() {
    let host = Memory(BTreeMap::from([("a.sda".into(), b"NOP\n ; \xFF\n JMP gone\n".to_vec())]));
    let assembly = assemble(&["a.sda".into()], &host, &Options::default());
    assert_eq!(codes(&assembly), ["E0101"]);
    let first = assembly.diagnostics.iter().next().unwrap();
    assert_eq!(assembly.diagnostics.place(first), ("a.sda", 2, 4));
}

#[test]
fn what_has_no_end_ends_in_one_error() {
    for source in [
        ".rept 1 << 60\n.endr",
        ".rept 1 << 60\nNOP\n.endr",
        ".rept 100000\n.rept 100000\n.rept 100000\n.endr\n.endr\n.endr",
        ".macro m a\nm \\a + \\a\n.endm\nm 1",
        ".macro m\n.rept 1000\nm2\n.endr\n.endm\n.macro m2\n.rept 100000\nNOP\n.endr\n.endm\nm",
        ".rept 100\n.address 0\n.fill $F00000\n.endr",
        ".rept 1 << 60\nlabel\\@:\n.endr",
        ".macro m\na: b: c: d: e: f: g: h:\n.endm\n.rept 1 << 60\nm\n.endr",
    ]
    .into_iter()
    .map(String::from)
    .chain([
        format!(".rept 1 << 60\n.assert {}1\n.endr", "1+".repeat(100_000)),
        format!(".rept 1 << 60\n.assert 1, \"{}\"\n.endr", "text ".repeat(100_000)),
        format!(".rept 1 << 60\n.rept 0\n{}.endr\n.endr", "a b c d\n".repeat(10_000)),
    ]) {
        let assembly = run_with(&source, &Options::default());
        let source = &source[..source.len().min(80)];
        assert!(assembly.program.is_none(), "{source}");
        assert_eq!(
            assembly.diagnostics.error_count(),
            1,
            "{source}\n{}",
            assembly.diagnostics.render(false)
        );
    }
}

#[test]
fn deep_and_long_expressions_do_not_exhaust_the_stack() {
    let deep = format!("LDA {}1{}", "(".repeat(200_000), ")".repeat(200_000));
    assert_eq!(codes(&run_with(&deep, &Options::default())), ["E0205"]);
    let signs = format!("LDA {}1", "-~".repeat(200_000));
    assert_eq!(codes(&run_with(&signs, &Options::default())), ["E0205"]);
    let long = format!(".dwords {}1", "1+".repeat(200_000));
    let mut chain: String = (0..100_000).map(|n| format!("C{n} = C{} + 1\n", n + 1)).collect();
    chain += "C100000 = 0\n.dwords C0\n";
    chain += &long;
    let bytes = &program(&chain).segments[0].bytes;
    assert_eq!(bytes[..4], 100_000u32.to_le_bytes());
    assert_eq!(bytes[4..], 200_001u32.to_le_bytes());
}

#[test]
fn very_many_errors_are_cut_at_a_stated_number() {
    let assembly = run_with(&"nonsense\n".repeat(50_000), &Options::default());
    assert_eq!(assembly.diagnostics.error_count(), 10_000);
    let many: String = (0..20_000).map(|n| format!("label{n}: JMP lable{n}\n")).collect();
    assert_eq!(run_with(&many, &Options::default()).diagnostics.error_count(), 10_000);
}

#[test]
fn a_place_that_no_constant_settles_is_an_error() {
    let source = ".fill N\nend:\n.if @end > $020100\n.equ N 0\n.else\n.equ N 1\n.endif\n";
    assert_eq!(codes(&run_with(source, &Options::default())), ["E0311"]);
}

#[test]
fn many_segments_are_refused() {
    let source = ".rept 65536\nNOP\n.res 1\n.endr";
    let whole = format!(".address $030000\n{source}");
    assert_eq!(codes(&run_with(&whole, &Options::default())), ["E0606"]);
}

#[test]
fn the_host_refuses_what_is_too_large_or_no_file() {
    let folder = std::env::temp_dir();
    assert!(HostFiles.read(&folder).is_err() && !HostFiles.exists(&folder));
    let path = folder.join(format!("sda-large-{}.sda", std::process::id()));
    let file = std::fs::File::create(&path).unwrap();
    file.set_len(1 << 30).unwrap();
    assert!(HostFiles.exists(&path));
    let assembly = assemble(std::slice::from_ref(&path), &HostFiles, &Options::default());
    std::fs::remove_file(&path).unwrap();
    assert_eq!(codes(&assembly), ["E0109"]);
}

/// Tells folders from files, and remembers how often it was asked.
struct Counted {
    files: Memory,
    asked: std::cell::Cell<u32>,
}

impl Files for Counted {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.asked.set(self.asked.get() + 1);
        self.files.read(path)
    }

    fn exists(&self, path: &Path) -> bool {
        self.asked.set(self.asked.get() + 1);
        self.files.exists(path)
    }
}

#[test]
fn files_that_include_twice_end_soon_and_are_read_once() {
    let mut list = Vec::new();
    for at in 0..30 {
        let line = format!(".include \"e{}.sda\"\n", at + 1);
        list.push((PathBuf::from(format!("e{at}.sda")), line.repeat(2).into_bytes()));
    }
    list.push(("e30.sda".into(), b"NOP".to_vec()));
    let host = Counted { files: Memory(list.into_iter().collect()), asked: 0.into() };
    let start = std::time::Instant::now();
    let assembly = assemble(&["e0.sda".into()], &host, &Options::default());
    assert_eq!(codes(&assembly), ["E0509"]);
    assert!(assembly.diagnostics.render(false).contains("at most 100000"));
    assert!(host.asked.get() <= 100, "asked {} times", host.asked.get());
    assert!(start.elapsed().as_secs() < 5, "took {:?}", start.elapsed());
}

#[test]
fn comments_included_again_and_again_end_soon() {
    let comments = format!("; {}\n", "nothing ".repeat(125)).repeat(1_000);
    // Another value that does not fit each time: the rounds can be counted.
    let comments = format!(".bytes $ * 1\n{comments}");
    let source = ".rept 90000\n.include \"b.sda\"\n.endr\n";
    let list = files(&[("a.sda", source), ("b.sda", &comments)]);
    let assembly = assemble(&["a.sda".into()], &list, &Options::default());
    let last = assembly.diagnostics.iter().last().expect("an error");
    assert!(last.message().contains("too many characters"), "{}", last.message());
    // A million characters each time, of 256 MB that a run may read.
    let rounds = assembly.diagnostics.error_count() - 1;
    assert!((200..300).contains(&rounds), "{rounds} rounds");
}

#[test]
fn what_is_no_file_is_called_what_it_is() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let source = ".include \".\"\n.incbin \"/dev/null\"\n.include \"nothing\"\n";
    let path = Path::new(folder).join("a.sda");
    struct Host(PathBuf, &'static str);
    impl Files for Host {
        fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
            if path == self.0 { Ok(self.1.into()) } else { HostFiles.read(path) }
        }
        fn exists(&self, path: &Path) -> bool {
            HostFiles.exists(path)
        }
        fn no_file(&self, path: &Path) -> Option<&'static str> {
            HostFiles.no_file(path)
        }
    }
    let host = Host(path.clone(), source);
    let assembly = assemble(&[path], &host, &Options::default());
    let texts: Vec<&str> = assembly.diagnostics.iter().map(|one| one.message()).collect();
    assert!(texts[0].ends_with("is a folder"), "{texts:?}");
    if cfg!(unix) {
        assert_eq!(texts[1], "`/dev/null` is no ordinary file");
    }
    assert_eq!(texts[2], "there is no file `nothing`");
}

#[test]
fn warnings_alone_never_fail_however_many() {
    let assembly = run_with(&".warn \"x\"\n".repeat(10_500), &Options::default());
    assert!(assembly.program.is_some());
    assert_eq!(assembly.diagnostics.warning_count(), 10_000);
    assert_eq!(codes(&assembly).last(), Some(&"W0509"));
}

#[test]
fn local_labels_of_a_very_long_one_do_not_fill_the_memory() {
    let plain = "x".repeat(1 << 20);
    let lines =
        |line: &str| (0..400).map(|n| line.replace('#', &n.to_string())).collect::<String>();
    for line in [".local#:\n", "    JMP .local#\n", "    NOP\n    LDELM @.local#\n"] {
        let assembly = run_with(&format!("{plain}:\n{}", lines(line)), &Options::default());
        assert_eq!(codes(&assembly).last(), Some(&"E0509"), "{line}");
        assert!(assembly.diagnostics.error_count() < 3, "{line}");
    }
    let macros = ".macro m\nx\\@:\n.endm\n".replace('x', &plain) + &"m\n".repeat(400);
    assert_eq!(codes(&run_with(&macros, &Options::default())).last(), Some(&"E0509"));
}

#[test]
fn why_there_are_no_more_errors_is_said_last() {
    // The last error stands in the file that is first among the sources.
    let list = [("a.sda", ".include \"b.sda\"\n.include \"b.sda\"\n"), ("b.sda", "QQ\n")];
    let mut list = list.map(|(name, text)| (name, text.to_string()));
    list[0].1 += &"QQ\n".repeat(20);
    list[1].1 = list[1].1.repeat(9_990);
    let list: Vec<_> = list.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let assembly = assemble(&["a.sda".into()], &files(&list), &Options::default());
    assert_eq!(assembly.diagnostics.error_count(), 10_000);
    assert_eq!(codes(&assembly).last(), Some(&"E0509"));
    assert!(assembly.diagnostics.render(false).contains("a run ends after 10000"));
}

#[test]
fn characters_that_cannot_be_seen_are_named_by_number() {
    let message = |text: &str| {
        let assembly = run_with(text, &Options::default());
        assembly.diagnostics.iter().next().unwrap().message().to_string()
    };
    assert_eq!(message("\u{A0}NOP"), "U+00A0 does not belong here");
    assert_eq!(message("NOP \u{200B}"), "U+200B does not belong here");
    assert_eq!(message("LDA\u{0}"), "U+0000 does not belong here");
    assert_eq!(message("é"), "`é` does not belong here");
}

#[test]
fn a_line_read_twice_says_why_it_is_there_twice() {
    let list = [("a.sda", "x: NOP\n"), ("b.sda", ".include \"a.sda\"\n.include \"a.sda\"\n")];
    let notes = |roots: &[&str]| {
        let roots: Vec<PathBuf> = roots.iter().map(PathBuf::from).collect();
        let text = assemble(&roots, &files(&list), &Options::default()).diagnostics.render(false);
        let note = text.lines().find_map(|line| line.trim().strip_prefix("= note: "));
        note.unwrap_or_else(|| panic!("{text}")).to_string()
    };
    assert_eq!(notes(&["a.sda", "a.sda"]), "`a.sda` is named more than once on the command line");
    assert_eq!(notes(&["b.sda"]), "`a.sda` is included more than once");
    let both = "`a.sda` is named on the command line and included, too";
    assert_eq!(notes(&["a.sda", "b.sda"]), both);
    let again = run_with(".macro M\nX = 1\n.endm\nM\nM\n", &Options::default());
    assert!(again.diagnostics.render(false).contains("every call of `M` defines it again"));
}

#[test]
fn a_wrong_place_hides_no_overlap_elsewhere() {
    let source = "
        .address $020100
        NOP
        .address $020100
        NOP
        .address 1000000000
        NOP
        .fill 3000000000
        LDA 5
        .address $020100
        NOP
        .address $010000
        NOP
";
    let assembly = run_with(source, &Options::default());
    assert_eq!(codes(&assembly), ["E0601", "E0607", "E0607", "E0601", "E0602"]);
}

#[test]
fn a_file_of_bytes_that_is_too_large_is_called_a_file() {
    let folder = std::env::temp_dir().join(format!("sda-large-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let large = folder.join("large");
    std::fs::File::create(&large).unwrap().set_len(129 << 20).unwrap();
    let error = HostFiles.read(&large).unwrap_err();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(error.to_string(), "a file is at most 128 MB");
}

#[test]
fn the_map_shows_which_sources_a_piece_is_made_of() {
    let host = files(&[
        (
            "a.sda",
            "    NOP\n.include \"b.sda\"\n    RET\n.address $030000\n.fill $4000\n.res $400\n",
        ),
        ("b.sda", "    LDA 1\n    LDA 2\n"),
    ]);
    let program = assemble(&["a.sda".into()], &host, &Options::default()).program.unwrap();
    let map = program.map();
    let wanted = "  $020100–$020109      10  loaded
    $020100–$020100       1  a.sda
    $020101–$020108       8  b.sda
    $020109–$020109       1  a.sda

bank $03: 16384 bytes loaded, 1024 reserved, 26 % used
  0000             4000             8000             C000
  ################ =............... ................ ................
  $030000–$033FFF   16384  loaded
  $034000–$0343FF    1024  reserved
";
    assert!(map.ends_with(wanted), "{map}");
}
