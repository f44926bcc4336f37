//! What is remembered changes nothing. The same program is assembled again with a
//! tab before every line and with many blanks within it, where nothing is
//! remembered; all that is known of them must be the same.

mod case;

mod memory;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use memory::Memory;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use sda::lint::{Rules, lint};
use sda::{Assembly, Files, HostFiles, Location, Options, Segment, assemble};

/// Files as another one has them, their sources changed.
struct Changed<'a, F> {
    files: &'a F,
    change: fn(&str) -> String,
}

impl<F: Files> Files for Changed<'_, F> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let bytes = self.files.read(path)?;
        let is_source = path.extension().is_some_and(|extension| extension == "sda");
        match std::str::from_utf8(&bytes) {
            Ok(text) if is_source => Ok((self.change)(text).into_bytes()),
            _ => Ok(bytes),
        }
    }

    fn exists(&self, path: &Path) -> bool {
        self.files.exists(path)
    }
}

/// One source, and where it is.
fn file(text: &str) -> (PathBuf, Memory) {
    let path = PathBuf::from("a.sda");
    let files = BTreeMap::from([(path.clone(), text.as_bytes().to_vec())]);
    (path, Memory(files))
}

/// `text` with every line changed, its end as it is.
fn by_line(text: &str, change: impl Fn(&str) -> String) -> String {
    let (mark, text) = match text.strip_prefix('\u{FEFF}') {
        Some(rest) => ("\u{FEFF}", rest),
        None => ("", text),
    };
    let mut changed = mark.to_string();
    for line in text.split_inclusive(['\r', '\n']) {
        let end = line.trim_end_matches(['\r', '\n']).len();
        // Between the two signs of a line's end there is no line.
        match line {
            "\n" if changed.ends_with('\r') => changed += line,
            _ => changed += &format!("{}{}", change(&line[..end]), &line[end..]),
        }
    }
    changed
}

fn behind_a_blank(text: &str) -> String {
    by_line(text, |line| format!(" {line}"))
}

fn behind_a_tab(text: &str) -> String {
    by_line(text, |line| format!("\t{line}"))
}

/// Each statement with more blanks behind its first word than a remembered one has
/// bytes, each lone label with one before its colon.
fn stretched(text: &str) -> String {
    by_line(text, |line| {
        let statement = line.trim_start();
        let is_of_name = |sign: char| sign.is_ascii_alphanumeric() || "_?".contains(sign);
        let (word, rest) = match statement.find(|sign| !is_of_name(sign)) {
            Some(end) => statement.split_at(end),
            None => (statement, ""),
        };
        let colon = rest.strip_prefix(':').filter(|rest| rest.trim_start().is_empty());
        match colon {
            Some(rest) if !word.is_empty() => format!(" {word} :{rest}"),
            _ if rest.starts_with([' ', '\t']) => format!(" {word}{:40}{rest}", ""),
            _ => format!(" {line}"),
        }
    })
}

/// Begins a line of an account that names columns.
const COLUMNS: &str = "  columns ";

/// All that is known of a run.
fn account(assembly: &Assembly) -> String {
    let mut text = String::new();
    let mut say = |at: &Location, words: &str| {
        let end = (at.end_line, at.end_column);
        let _ =
            writeln!(text, "{}:{}: {words}\n{COLUMNS}{} to {end:?}", at.file, at.line, at.column);
    };
    let report = lint(assembly, &Rules::default());
    for list in [&assembly.diagnostics, &report.findings, &report.unused_notes] {
        for one in list.iter() {
            let words = format!("{} {} {:?}", one.code(), one.message(), one.notes());
            say(&list.location(one), &format!("{words} {:?}", one.helps()));
            for (at, words) in list.related(one) {
                say(&at, words);
            }
            if let Some((at, words)) = list.edit(one) {
                say(&at, &format!("becomes {words}"));
            }
        }
    }
    let Some(program) = &assembly.program else { return text };
    let _ = writeln!(text, "entry {:06X}", program.entry);
    for segment in &program.segments {
        let _ = writeln!(text, "{:06X}: {:02X?}", segment.address, segment.bytes);
    }
    for symbol in program.symbols.iter() {
        let _ = writeln!(text, "{symbol:?}");
    }
    for (address, size, file, line) in program.lines.iter() {
        let _ = writeln!(text, "{address:06X} {size} {file}:{line}");
    }
    for one in &program.expectations {
        let _ = writeln!(text, "{one:?}");
    }
    for one in &program.contracts {
        let _ = writeln!(text, "{} {:06X} {} {}", one.label, one.address, one.text(), one.line);
    }
    text
}

/// Assembles `roots` as they are, then where nothing is remembered: where the
/// accounts of both differ.
fn check<F: Files>(roots: &[PathBuf], files: &F, options: &Options) -> Result<(), String> {
    let run = |change| account(&assemble(roots, &Changed { files, change }, options));
    let account = run(behind_a_blank);
    same(roots, &account, &run(behind_a_tab))?;
    let without_columns = |account: &str| {
        account.lines().filter(|line| !line.starts_with(COLUMNS)).collect::<Vec<_>>().join("\n")
    };
    same(roots, &without_columns(&account), &without_columns(&run(stretched)))
}

fn same(roots: &[PathBuf], account: &str, other: &str) -> Result<(), String> {
    if account == other {
        return Ok(());
    }
    let (mut here, mut there) = (account.lines(), other.lines());
    let differ = std::iter::from_fn(|| Some((here.next(), there.next())))
        .find(|(here, there)| here != there || here.is_none());
    Err(format!("{roots:?} remembered and not:\n{differ:#?}"))
}

/// The same for a source in memory.
fn check_text(text: &str) -> Result<(), String> {
    let (root, files) = file(text);
    check(&[root], &files, &Options::default())
        .map_err(|difference| format!("{difference}\nin\n{text}"))
}

/// Every source below `folder`.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "sda") {
            found.push(path);
        }
    }
}

#[test]
fn every_case_of_the_language_is_the_same_unremembered() {
    for (_, case) in case::all() {
        let options = Options { allowed: case.allowed.clone(), ..Options::default() };
        check(&case.roots, &case, &options).unwrap();
        for end in ["\r", "\r\n"] {
            let texts = case.files.iter().map(|(path, bytes)| {
                let text = String::from_utf8(bytes.clone());
                (path.clone(), text.map_or(bytes.clone(), |text| text.replace('\n', end).into()))
            });
            check(&case.roots, &Memory(texts.collect()), &options).unwrap();
        }
    }
}

#[test]
fn every_program_is_the_same_unremembered() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["programs/lib", "programs/shell", "tests", "benches/loops"] {
        sources(&top.join(folder), &mut found);
    }
    found.push(top.join("programs/rogueima/rogueima.sda"));
    found.sort();
    assert!(found.len() > 300, "only {} sources were found", found.len());
    let options = Options { kernal: true, ..Options::default() };
    for root in found {
        check(&[root], &HostFiles, &options).unwrap();
    }
}

/// What generated programs begin with.
const NAMES: &str = "\
.equ COUNT 7
.equ ZERO 0
WIDE = $12345
PLACE = table + 1
.struct OBJ
hp .words 1
.ends
hp = 5
FF = 6
.macro step it
    INC \\it
.endm
.macro put it
    LDA \\it
.endm
X: RET
lo: RET
table:
.in: RET
";

/// What they end with.
const LATER: &str = "
A: RET
later: .ptrs @A, @X
.in: RET
LATE = 9
";

/// Statements; a value stands for each `{}`.
const FORMS: [&str; 48] = [
    "INC {}",
    "LDA {}",
    "LDAL {}",
    "LDELM {}",
    "LDAB {}",
    "LDA [{}]",
    "STBL [{}]",
    "LDA [ELM + {}]",
    "STA [FLD - {}]",
    "LEA FLD, [ELM + {}]",
    "CMP A, {}",
    "CMP AL,{}",
    "ADD ELM, {}",
    "AND AL, {}",
    "DIV A, {}",
    "SHL A, {}",
    "INT {}",
    "SETF {}",
    "SCANQUE BLX, ELM, A, {}",
    "JTAB I, {}, @table",
    "JTAB I, 2, {}",
    "JMP {}",
    "JZ {}",
    "JA {}",
    "JBE {}",
    "BRA {}",
    "BNE {}",
    "BSR {}",
    "CALL {}",
    "put {}",
    "step {}",
    "NEW: LDA {}",
    "RET {}",
    "MOV A, {}",
    "MOV {}, B",
    ".bytes {}",
    ".words 1, {}",
    ".ptrs {}",
    ".res {}",
    ".if {}",
    ".assert {}, \"text\"",
    "NEW = {}",
    "RET",
    "INC A",
    "SHL A",
    "MOV A, B",
    "LDA [ELM + I]",
    "MEMFILL ELM, AL, B",
];

const VALUES: [&str; 72] = [
    "AL",
    "AB",
    "ABCD",
    "1 + 2 * (3 + 4) - 5 % 3 + COUNT * 2",
    "COUNT*3-1+COUNT*2-1+COUNT*1-1-COUNT",
    "'a' + ';' - ',' - ':' + ',' - '\\n'",
    "@table + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8",
    "0",
    "1",
    "5",
    "255",
    "256",
    "65535",
    "65536",
    "-1",
    "-128",
    "$F",
    "$FF",
    "$1_0",
    "$020100",
    "0x1F",
    "0X1f",
    "%101",
    "0b11",
    "1_0",
    "#5",
    "~1",
    "~COUNT",
    "'c'",
    "';'",
    "','",
    "':'",
    "'\"'",
    "'/'",
    "'\\n'",
    "'\\''",
    "' '",
    "'é'",
    "\"'\"",
    "(5)",
    "1 + 2",
    "1+2",
    "2*(1+2)",
    "3 // 4",
    "COUNT",
    "@COUNT",
    "#COUNT",
    "COUNT - 1",
    "lo(WIDE)",
    "lo",
    "@lo",
    "hi(PLACE)",
    "ZERO",
    "LATE",
    "@LATE + 1",
    "WIDE",
    "PLACE",
    "OBJ.hp",
    "@OBJ.size",
    "hp",
    "FF",
    "$",
    "$ + 2",
    "table",
    "@table",
    "@table + 1",
    "@X",
    "X",
    "A",
    ".in",
    "later",
    "@later - 1",
];

/// Other lines, right and wrong ones.
const LINES: [&str; 20] = [
    "",
    "; a comment: \"quotes\" and 'more'",
    "// é, ü and 日本",
    "NEW:",
    ".NEW:",
    "NEW: ; a label",
    "NEW :",
    "NEW: INC A",
    "NEW: NEW_b: RET",
    "x.y:",
    "INC A\0",
    "LDA @",
    "CMP BL, '",
    "CMP BL, ';' + 1 ; ';'",
    "CMP BL, '/' // '/'",
    "LDA COUNT COUNT",
    ".near: LDA .near",
    "LDA é",
    ".bytes \"; \", 1 ; \"",
    "5: RET",
];

/// How a statement is written.
#[derive(Clone, Debug)]
struct Style {
    /// Spaces or a tab where one space is.
    blanks: &'static str,
    /// Where what stands behind the first word begins, if blanks can do that.
    column: usize,
    behind: &'static str,
    small: bool,
}

fn styles() -> impl Strategy<Value = Style> {
    let blanks = prop_oneof![6 => Just(" "), 1 => Just("  "), 1 => Just("\t")];
    let column = prop_oneof![4 => Just(0), 2 => 8..18usize, 2 => 18..28usize, 4 => 28..32usize];
    let behind = select(vec!["", "", "", "", ";", "; c", " ; c", "//c", "   ", "\t", " ; 'é\""]);
    (blanks, column, behind, prop::bool::weighted(0.1))
        .prop_map(|(blanks, column, behind, small)| Style { blanks, column, behind, small })
}

impl Style {
    /// `statement` in this style; `number` makes a name of each `NEW`.
    fn write(&self, statement: &str, number: usize) -> String {
        let (word, rest) = statement.split_once(' ').unwrap_or((statement, ""));
        let word = match self.small && !word.contains("NEW") {
            true => word.to_ascii_lowercase(),
            false => word.to_string(),
        };
        // A quoted blank stays what it is.
        let rest = match rest.contains(['\'', '"']) {
            true => rest.to_string(),
            false => rest.replace(' ', self.blanks),
        };
        let named = |text: &str| text.replace("NEW", &format!("name_{number}"));
        let (word, rest) = (named(&word), named(&rest));
        let blanks = self.column.saturating_sub(word.len()).max(1);
        let text = if rest.is_empty() { word } else { format!("{word}{:blanks$}{rest}", "") };
        text + self.behind
    }
}

/// By form, the statements that mean something, each alone, and those that don't.
static STATEMENTS: LazyLock<Vec<[Vec<String>; 2]>> = LazyLock::new(|| {
    let means_something = |statement: &String| {
        let end = if statement.starts_with(".if") { ".endif\n" } else { "" };
        let text = format!("{NAMES}{}\n{end}{LATER}", statement.replace("NEW", "name"));
        let (root, files) = file(&text);
        assemble(&[root], &files, &Options::default()).program.is_some()
    };
    let of_form = |form: &&str| {
        let values = if form.contains("{}") { &VALUES[..] } else { &VALUES[..1] };
        let all = values.iter().map(|value| form.replace("{}", value));
        let (right, wrong) = all.partition(means_something);
        [right, wrong]
    };
    FORMS.iter().map(of_form).collect()
});

/// Statements that follow each other, and how they are written.
type Lines = Vec<(String, Style)>;

fn lines() -> impl Strategy<Value = Lines> {
    // Few forms in few styles, so that they meet again; most programs have no
    // mistake.
    let form = (any::<Index>(), prop::collection::vec(any::<Index>(), 1..5));
    let right = prop::collection::vec(form, 1..4).prop_map(|forms| {
        let of_form = |(form, values): &(Index, Vec<Index>)| {
            let [right, wrong] = form.get(&STATEMENTS);
            let some = if right.is_empty() { wrong } else { right };
            values.iter().map(|value| value.get(some).clone()).collect::<Vec<_>>()
        };
        forms.iter().flat_map(of_form).collect::<Vec<_>>()
    });
    let wrong = (any::<Index>(), any::<Index>(), select(&LINES[..]));
    let wrong = wrong.prop_map(|(form, value, line)| {
        let wrong = &form.get(&STATEMENTS)[1];
        let statement = (!wrong.is_empty()).then(|| value.get(wrong).clone());
        statement.into_iter().chain([line.to_string()]).collect()
    });
    let wrong = prop_oneof![4 => Just(vec![]), 1 => wrong];
    let pool = (right, wrong).prop_map(|(right, wrong)| [right, wrong].concat());
    let picked = prop::collection::vec((any::<Index>(), any::<Index>()), 1..30);
    (pool, prop::collection::vec(styles(), 1..4), picked).prop_map(|(pool, styles, picked)| {
        let line = |(statement, style): (Index, Index)| {
            (statement.get(&pool).clone(), style.get(&styles).clone())
        };
        picked.into_iter().map(line).collect()
    })
}

/// Lines and which of [`AROUND`] stands around them.
fn blocks() -> impl Strategy<Value = Vec<(usize, Lines)>> {
    let around = prop_oneof![3 => Just(0), 2 => 0..AROUND.len()];
    prop::collection::vec((around, lines()), 1..5)
}

const AROUND: [(&str, &str); 8] = [
    ("", ""),
    (".if 1\n", ".endif\n"),
    (".if LATE == 0\n", ".endif\n"),
    (".ifdef nothing\n", ".else\nLDA 5\n.endif\n"),
    (".rept 2\n", ".endr\n"),
    (".macro all_NEW\n", ".endm\nall_NEW\nINC A\nall_NEW\n"),
    (".struct S_NEW\n", ".ends\n"),
    (".page $30000, 99\n.var v_NEW, 2\n", ".endp\nSTA [v_NEW]\n"),
];

/// The block of this number, a program's own names within.
fn write(number: usize, (around, lines): &(usize, Lines)) -> String {
    let (before, behind) = AROUND[*around];
    let around = |text: &str| text.replace("NEW", &number.to_string());
    let mut text = around(before);
    for (at, (statement, style)) in lines.iter().enumerate() {
        let _ = writeln!(text, "    {}", style.write(statement, 100 * number + at));
        if statement.starts_with(".if") {
            text += ".endif\n";
        }
    }
    text + &around(behind)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_generated_program_is_the_same_unremembered(
        blocks in blocks(),
        end in select(vec!["\n", "\n", "\r\n", "\r"]),
        has_end in any::<bool>(),
    ) {
        let blocks: String = (0..).zip(&blocks).map(|(at, block)| write(at, block)).collect();
        let text = format!("{NAMES}{blocks}{LATER}").replace('\n', end);
        let text = if has_end { &text } else { text.trim_end() };
        prop_assert_eq!(check_text(text).err(), None);
    }

    #[test]
    fn blocks_mean_the_same_in_every_order(blocks in blocks()) {
        let mut texts = Vec::new();
        for (at, block) in (0..).zip(&blocks) {
            let address = 0x040000 + 0x1000 * at;
            texts.push(format!(".address ${address:06X}\nblock_{at}:\n{}", write(at, block)));
        }
        let forward = texts.concat();
        texts.reverse();
        prop_assert_eq!(meaning(&forward), meaning(&texts.concat()), "{}", forward);
    }
}

/// What the order of blocks does not change: the bytes and names of a program
/// or the mistakes in it.
fn meaning(blocks: &str) -> (Vec<Segment>, Vec<String>) {
    let (root, files) = file(&format!("{NAMES}.address $030000\n{LATER}{blocks}"));
    let Assembly { program, diagnostics } = assemble(&[root], &files, &Options::default());
    let mut said: Vec<String> =
        diagnostics.iter().map(|one| format!("{} {}", one.code(), one.message())).collect();
    let mut segments = Vec::new();
    if let Some(program) = program {
        let names = program.symbols.iter().filter(|symbol| symbol.scope.is_empty());
        said.extend(names.map(|symbol| format!("{} {}", symbol.name, symbol.value)));
        segments = program.segments;
    }
    said.sort();
    (segments, said)
}

#[test]
fn every_beginning_of_a_program_is_the_same_unremembered() {
    let few = STATEMENTS.iter().flat_map(|[right, _]| right).step_by(61);
    let lines = few.map(|statement| format!("    {statement}\n{statement};\n  {statement}\n"));
    let text = lines.collect::<String>().replace("NEW", "name");
    for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
        check_text(&format!("{NAMES}{}", &text[..end])).unwrap();
    }
}

#[test]
fn statements_that_begin_alike_are_told_apart_wherever_they_end() {
    let families = [
        ("INC", ["A", "AL", "AB", "ABCD", "A ; B"]),
        ("LDA", ["C", "CO", "COUNT", "COUNTER", "COUNTER + 1"]),
        ("JMP", ["C", "CO", "@COUNT", "COUNT + 1", "'C'"]),
        ("CMP A,", ["1", "12", "$12", "$1234", "-1"]),
        ("CMP AL,", ["';'", "';' + 1", "','", "','-1", "':'"]),
        ("LDB", ["[C]", "[CO]", "[ELM]", "[ELM + C]", "[ELM + CO]"]),
    ];
    for (word, ends) in families {
        for column in 0..40 {
            let mut text = "C = 1\nCO = 2\nCOUNT = 3\nCOUNTER = 4\n".to_string();
            for (first, second) in ends.iter().flat_map(|end| ends.map(|other| (end, other))) {
                for end in [first, second, first] {
                    let _ = writeln!(text, "    {word:column$} {end}");
                }
            }
            check_text(&text).unwrap();
        }
    }
}
