//! Writes `editors/vscode/syntaxes/sda.tmLanguage.json` to the standard output,
//! with the argument `vim` `editors/vim/syntax/sda.vim`.

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("vim") => print!("{}", lsp::vim_syntax()),
        _ => print!("{}", lsp::grammar()),
    }
}
