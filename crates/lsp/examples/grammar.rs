//! Writes `editors/vscode/syntaxes/sda.tmLanguage.json` to the standard output.

fn main() {
    print!("{}", lsp::grammar());
}
