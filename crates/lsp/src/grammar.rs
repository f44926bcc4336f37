//! The TextMate grammar of `.sda`, written from the tables, for editors that
//! colour a text before a server has seen it.

use serde_json::{Value, json};

use crate::words::{directives, jumps, others, registers};

/// Letters that begin a name, and those that go on with it.
const FIRST: &str = "[A-Za-z_?]";
const LETTER: &str = "[A-Za-z0-9_?]";

/// The whole text of `editors/vscode/syntaxes/sda.tmLanguage.json`.
pub fn grammar() -> String {
    let name = format!("{FIRST}{LETTER}*");
    let end = format!("(?!{LETTER})");
    // No letter, and nothing that makes a name of what follows.
    let begin = r"(?<![A-Za-z0-9_?@.$\\])";
    let word = |list: &str| format!("(?i){begin}(?:{list}){end}(?!\\s*:)");
    let regs = registers().join("|");
    let others = format!("{}|(?:LD|ST)(?:{regs})", others().join("|"));
    let defines = |directive: &str, scope: &str| {
        json!({
            "match": format!(r"(?i)(\.{directive}){end}\s+({name})"),
            "captures": {
                "1": { "name": "keyword.other.directive.sda" },
                "2": { "name": scope },
            },
        })
    };
    let patterns = [
        scope("comment.line.sda", "(?:;|//).*$"),
        quoted('"', "string.quoted.double.sda"),
        quoted('\'', "string.quoted.single.sda"),
        label(&name, "entity.name.function.sda"),
        label(&format!(r"\.{name}"), "entity.name.label.sda"),
        json!({
            "match": format!(r"^\s*({name})\s*(=)(?!=)"),
            "captures": {
                "1": { "name": "variable.other.constant.sda" },
                "2": { "name": "keyword.operator.sda" },
            },
        }),
        defines("equ", "variable.other.constant.sda"),
        defines("var", "variable.other.readwrite.sda"),
        defines("struct", "entity.name.type.sda"),
        json!({
            "begin": format!(r"(?i)(\.macro){end}\s+({name})"),
            "end": r"$|(?=;|//)",
            "beginCaptures": {
                "1": { "name": "keyword.other.directive.sda" },
                "2": { "name": "entity.name.function.macro.sda" },
            },
            "patterns": [scope("variable.parameter.sda", &name)],
        }),
        // A line of a structure.
        json!({
            "match": format!(r"(?i)^\s*({name})(?=\s+\.(?:bytes|words?|ptrs|dwords|res){end})"),
            "captures": { "1": { "name": "variable.other.member.sda" } },
        }),
        scope(
            "keyword.other.directive.sda",
            &format!(r"(?i)\.(?:{}){end}", directives().join("|")),
        ),
        scope("variable.parameter.sda", &format!(r"\\(?:@|{name})")),
        scope("variable.other.reference.sda", &format!(r"@\.?{name}(?:\.{name})*")),
        scope("entity.name.label.sda", &format!(r"(?<!{LETTER})\.{name}")),
        scope("keyword.control.sda", &word(&jumps().join("|"))),
        scope("keyword.mnemonic.sda", &word(&others)),
        scope("support.function.sda", &format!(r"(?i){begin}(?:lo|hi|bank|word)(?=\()")),
        scope("variable.language.register.sda", &format!(r"(?i){begin}(?:{regs}){end}(?!\.)")),
        // Without a server a constant is known by its capitals.
        scope(
            "variable.other.constant.sda",
            &format!(r"{begin}[A-Z_?][A-Z0-9_?]+(?:\.{name})?{end}(?!\s*:)"),
        ),
        // A field, or a local label of another's.
        scope("variable.other.reference.sda", &format!(r"{begin}{name}\.{name}{end}(?!\s*:)")),
        scope(
            "constant.numeric.sda",
            &format!(
                r"(?<!{LETTER})(?:\$[0-9A-Fa-f]+(?:_[0-9A-Fa-f]+)*|0[xX][0-9A-Fa-f]+(?:_[0-9A-Fa-f]+)*|0[bB][01]+(?:_[01]+)*|%[01]+(?:_[01]+)*|[0-9]+(?:_[0-9]+)*){end}"
            ),
        ),
        scope("keyword.operator.sda", r"<<|>>|[=!<>]=|[-+*/%&|^~<>=#$]"),
    ];
    let grammar = json!({
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "SD-8516 assembly",
        "scopeName": "source.sda",
        "fileTypes": ["sda"],
        "patterns": patterns,
    });
    format!("{grammar:#}\n")
}

fn scope(name: &str, pattern: &str) -> Value {
    json!({ "name": name, "match": pattern })
}

/// A label where one may stand: at the start of a line or behind another.
fn label(name: &str, scope: &str) -> Value {
    json!({
        "match": format!(r"(?:^|(?<=:))\s*({name}(?:\\@)?)\s*(:)"),
        "captures": {
            "1": { "name": scope },
            "2": { "name": "punctuation.separator.sda" },
        },
    })
}

/// What stands in quotes: it ends with the line at the latest.
fn quoted(quote: char, name: &str) -> Value {
    json!({
        "name": name,
        "begin": quote.to_string(),
        "end": format!("{quote}|$"),
        "patterns": [
            scope("constant.character.escape.sda", r#"\\(?:[nrt0\\'"]|x[0-9A-Fa-f]{2})"#),
            scope("invalid.illegal.escape.sda", r"\\."),
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_fresh() {
        let path = "/../../editors/vscode/syntaxes/sda.tmLanguage.json";
        let path = format!("{}{path}", env!("CARGO_MANIFEST_DIR"));
        let written = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            written == grammar(),
            "the grammar is stale: run `cargo run -p lsp --example grammar > editors/vscode/syntaxes/sda.tmLanguage.json`"
        );
    }

    #[test]
    fn the_extension_is_whole() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode");
        let read = |name: &str| -> Value {
            serde_json::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap()
        };
        let package = read("package.json");
        assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
        let contributes = &package["contributes"];
        assert_eq!(contributes["grammars"][0]["scopeName"], "source.sda");
        assert!(folder.join(package["main"].as_str().unwrap()).is_file());
        for file in
            [&contributes["languages"][0]["configuration"], &contributes["grammars"][0]["path"]]
        {
            assert!(read(file.as_str().unwrap()).is_object(), "{file}");
        }
    }
}
