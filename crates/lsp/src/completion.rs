//! Completion: what may stand where somebody types.

use std::path::Path;

use isa::{ALIASES, INSTRUCTIONS, Reg};
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionResponse, CompletionTextEdit,
    Range as Span, TextEdit,
};
use sda::Program;
use sda::index::{NameKind, Place, Role, Space, cursor};

use crate::hover::number;
use crate::requests::{Context, Point};
use crate::symbols::matches;

/// Words that are offered at once; a client asks again when more is typed.
const MOST_ITEMS: usize = 1_000;

/// Words for the place of the cursor.
pub(crate) fn complete(cx: &Context<'_>, point: &Point) -> CompletionResponse {
    let (line, column) = point.line();
    let cursor = cursor(&line[..column]);
    let start = point.offset - column + cursor.start;
    let mut words = Words {
        cx,
        point,
        typed: &line[cursor.start..column],
        span: point.text.span(start..point.offset, cx.workspace.encoding),
        items: Vec::new(),
        is_incomplete: false,
    };
    match &cursor.place {
        Place::Statement => {
            words.mnemonics();
            words.macros();
            words.directives();
        }
        Place::Dotted => {
            words.directives();
            words.locals();
        }
        Place::Operand { label, behind_at } => {
            words.names(*label, *behind_at);
            words.body_names();
            if !label && !behind_at {
                words.registers();
                words.functions();
            }
        }
        Place::Local => words.locals(),
        Place::Field(owner) => words.fields(owner),
        Place::Parameter => words.body_names(),
        Place::File { is_source } => words.files(*is_source),
        Place::Promise => {
            words.registers();
            for flag in ["ZF", "NF", "CF", "VF"] {
                words.add(flag, CompletionItemKind::CONSTANT, "a flag");
            }
        }
        Place::Nothing => {}
    }
    let Words { items, is_incomplete, .. } = words;
    CompletionResponse::List(CompletionList { is_incomplete, items })
}

/// The words that are offered.
struct Words<'a> {
    cx: &'a Context<'a>,
    point: &'a Point,
    typed: &'a str,
    span: Span,
    items: Vec<CompletionItem>,
    is_incomplete: bool,
}

impl Words<'_> {
    fn mnemonics(&mut self) {
        let mut last = "";
        for row in INSTRUCTIONS.iter().filter(|row| !row.glued) {
            if row.mnemonic != last {
                self.word(row.mnemonic, CompletionItemKind::KEYWORD, row.effect);
            }
            last = row.mnemonic;
        }
        for (alias, name) in ALIASES {
            self.word(alias, CompletionItemKind::KEYWORD, &format!("another spelling of {name}"));
        }
        self.word("JA", CompletionItemKind::KEYWORD, "jump when above, unsigned");
        self.word("JBE", CompletionItemKind::KEYWORD, "jump when below or equal, unsigned");
        for reg in Reg::all() {
            let name = reg.name();
            let load = format!("{name} ← immediate or memory");
            self.word(&format!("LD{name}"), CompletionItemKind::KEYWORD, &load);
            let store = format!("memory ← {name}");
            self.word(&format!("ST{name}"), CompletionItemKind::KEYWORD, &store);
        }
    }

    fn registers(&mut self) {
        for reg in Reg::all() {
            let bits = format!("{} bits", 8 * reg.width());
            self.word(reg.name(), CompletionItemKind::VARIABLE, &bits);
        }
    }

    fn functions(&mut self) {
        for (name, what) in
            [("lo", "bits 0–7"), ("hi", "bits 8–15"), ("bank", "bits 16–23"), ("word", "bits 0–15")]
        {
            self.add(name, CompletionItemKind::FUNCTION, what);
        }
    }

    fn directives(&mut self) {
        for (name, what) in sda::directives() {
            self.add(&format!(".{name}"), CompletionItemKind::KEYWORD, what);
        }
    }

    fn macros(&mut self) {
        self.defined(Space::Macros, |words, name, _| {
            words.add(name, CompletionItemKind::METHOD, "a macro");
        });
    }

    /// Labels and constants; a label that is no jump's needs its `@`.
    fn names(&mut self, label: bool, behind_at: bool) {
        let program = self.cx.analysis.program_of(self.cx.workspace, &self.point.path);
        self.defined(Space::Program, |words, name, kind| {
            let is_place = matches!(kind, NameKind::Label | NameKind::Variable);
            if kind == NameKind::Local || kind == NameKind::Struct || label && !is_place {
                return;
            }
            let detail = value(program, name).unwrap_or_else(|| describe(kind).into());
            let sign = if is_place && !label && !behind_at { "@" } else { "" };
            words.insert(name, &format!("{sign}{name}"), item_kind(kind), &detail);
            // Jumps to variables are rare.
            if label && kind == NameKind::Variable {
                words.put_last(name);
            }
        });
    }

    /// The labels and parameters of the macro that the cursor is in.
    fn body_names(&mut self) {
        let index = self.point.text.index();
        let offset = self.point.offset;
        let inside = |range: &std::ops::Range<usize>| (range.start..=range.end).contains(&offset);
        let Some(number) = index.macros().iter().rposition(|body| inside(&body.range)) else {
            return;
        };
        for one in index.occurrences() {
            let Role::Definition(kind) = one.role else { continue };
            if one.space == Space::Body(number as u32) && kind != NameKind::Local {
                self.add(index.text(one.name), item_kind(kind), describe(kind));
            }
        }
    }

    /// The local labels between the plain label above and the one below.
    fn locals(&mut self) {
        let index = self.point.text.index();
        let owner = index.occurrences().iter().rfind(|one| {
            one.range.start <= self.point.offset && one.role == Role::Definition(NameKind::Label)
        });
        let owner = owner.map_or("", |one| index.text(one.name)).to_string();
        for one in index.occurrences() {
            let local = index.text(one.name).strip_prefix(owner.as_str());
            if one.role == Role::Definition(NameKind::Local)
                && let Some(local) = local.filter(|local| local.starts_with('.'))
            {
                self.add(local, CompletionItemKind::REFERENCE, "a local label");
            }
        }
    }

    /// What stands behind `NAME.`: fields, and local labels of other routines.
    fn fields(&mut self, owner: &str) {
        let program = self.cx.analysis.program_of(self.cx.workspace, &self.point.path);
        self.defined(Space::Program, |words, name, kind| {
            let field = name.strip_prefix(owner).and_then(|rest| rest.strip_prefix('.'));
            if let Some(field) = field {
                let detail = value(program, name).unwrap_or_default();
                words.add(field, item_kind(kind), &detail);
            }
        });
    }

    /// Files and folders below the folder that is typed.
    fn files(&mut self, is_source: bool) {
        let typed = self.typed;
        let (folder, name) =
            typed.rsplit_once('/').map_or(("", typed), |(folder, name)| (folder, name));
        let start = self.point.offset - name.len();
        self.span = self.point.text.span(start..self.point.offset, self.cx.workspace.encoding);
        self.typed = name;
        let beside = self.point.path.parent().unwrap_or(Path::new(""));
        let Ok(entries) = beside.join(folder).read_dir() else { return };
        let mut found: Vec<(String, bool)> = Vec::new();
        for entry in entries.filter_map(Result::ok).take(MOST_ITEMS) {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let is_folder = entry.path().is_dir();
            if !name.starts_with('.') && (is_folder || !is_source || name.ends_with(".sda")) {
                found.push((name, is_folder));
            }
        }
        found.sort();
        for (name, is_folder) in found {
            match is_folder {
                true => self.add(&format!("{name}/"), CompletionItemKind::FOLDER, ""),
                false => self.add(&name, CompletionItemKind::FILE, ""),
            }
        }
    }

    /// Every name that the files of the program define, each once.
    fn defined(&mut self, space: Space, mut add: impl FnMut(&mut Self, &str, NameKind)) {
        let workspace = self.cx.workspace;
        let programs = workspace.programs();
        let mut known = std::collections::HashSet::new();
        let Some(program) = programs.main_of(&self.point.path) else { return };
        for path in program.files() {
            let Some(text) = workspace.text(path) else { continue };
            let index = text.index();
            for one in index.occurrences().iter().filter(|one| one.space == space) {
                let Role::Definition(kind) = one.role else { continue };
                let name = index.text(one.name);
                if known.insert(name.to_string()) {
                    add(self, name, kind);
                }
            }
        }
    }

    /// A word of the language, in the case that is being typed.
    fn word(&mut self, word: &str, kind: CompletionItemKind, detail: &str) {
        let is_lower = self.typed.bytes().any(|byte| byte.is_ascii_lowercase());
        let word = if is_lower { word.to_ascii_lowercase() } else { word.to_string() };
        self.add(&word, kind, detail);
    }

    /// Lists the word, if it was the last to be added, behind all others.
    fn put_last(&mut self, word: &str) {
        if let Some(item) = self.items.last_mut().filter(|item| item.label == word) {
            item.sort_text = Some(format!("~{word}"));
        }
    }

    fn add(&mut self, word: &str, kind: CompletionItemKind, detail: &str) {
        self.insert(word, word, kind, detail);
    }

    fn insert(&mut self, word: &str, text: &str, kind: CompletionItemKind, detail: &str) {
        if !matches(self.typed, word) {
            return;
        }
        if self.items.len() >= MOST_ITEMS {
            self.is_incomplete = true;
            return;
        }
        let edit = TextEdit { range: self.span, new_text: text.to_string() };
        self.items.push(CompletionItem {
            label: word.to_string(),
            kind: Some(kind),
            detail: Some(detail.to_string()).filter(|detail| !detail.is_empty()),
            text_edit: Some(CompletionTextEdit::Edit(edit)),
            ..CompletionItem::default()
        });
    }
}

/// What the assembler made of a name.
fn value(program: Option<&Program>, name: &str) -> Option<String> {
    let symbol = program?.symbols.lookup(name)?;
    Some(if symbol.address {
        format!("at ${:06X}", symbol.value)
    } else {
        number(symbol.value).replace('`', "")
    })
}

fn describe(kind: NameKind) -> &'static str {
    match kind {
        NameKind::Label => "a label",
        NameKind::Local => "a local label",
        NameKind::Variable => "a variable",
        NameKind::Constant => "a constant",
        NameKind::Struct => "a structure",
        NameKind::Field => "a field",
        NameKind::Macro => "a macro",
        NameKind::Parameter => "a parameter",
    }
}

fn item_kind(kind: NameKind) -> CompletionItemKind {
    match kind {
        NameKind::Label => CompletionItemKind::FUNCTION,
        NameKind::Local => CompletionItemKind::REFERENCE,
        NameKind::Variable => CompletionItemKind::VARIABLE,
        NameKind::Constant => CompletionItemKind::CONSTANT,
        NameKind::Struct => CompletionItemKind::STRUCT,
        NameKind::Field => CompletionItemKind::FIELD,
        NameKind::Macro => CompletionItemKind::METHOD,
        NameKind::Parameter => CompletionItemKind::TYPE_PARAMETER,
    }
}
