//! The colours of `.sda` for Vim and Neovim, written from the tables.

use crate::words::{directives, jumps, others, registers};

/// The whole text of `editors/vim/syntax/sda.vim`.
pub fn vim_syntax() -> String {
    let [loads, stores] = ["LD", "ST"].map(|verb| {
        let words = registers().into_iter().map(|name| format!("{verb}{name}"));
        words.collect::<Vec<_>>().join(" ")
    });
    let [others, jumps, registers] = [others(), jumps(), registers()].map(|list| list.join(" "));
    let directives = directives().join(r"\|");
    format!(
        r#"" Colours for .sda sources, the assembly language of the SD-8516. Generated:
" CONTRIBUTING.md says how.
if exists("b:current_syntax")
  finish
endif

syntax case ignore
syntax iskeyword @,48-57,_,?

syntax keyword sdaMnemonic {others}
syntax keyword sdaMnemonic {loads}
syntax keyword sdaMnemonic {stores}
syntax keyword sdaJump {jumps}
syntax keyword sdaRegister {registers}

" Of matches at one place the last one wins, and keywords win over all.
syntax match sdaOperator /<<\|>>\|[=!<>]=\|[-+*\/%&|^~<>=#$]/
syntax match sdaNumber /\<\d[0-9_]*\>\|\<0x\x[0-9a-f_]*\>\|\<0b[01][01_]*\>\|\$\x[0-9a-f_]*\>\|%[01][01_]*\>/
syntax match sdaFunction /\<\%(lo\|hi\|bank\|word\)\ze(/
syntax match sdaReference /\<\h\k*\.\h\k*/
syntax match sdaConstant /\C\<[A-Z_?][A-Z0-9_?]\+\>\%(\.\k\+\)\=/
syntax match sdaConstant /^\s*\zs\k\+\ze\s*==\@!/
syntax match sdaField /^\s*\zs\k\+\ze\s\+\.\%(bytes\|words\=\|ptrs\|dwords\|res\)\>/
syntax match sdaReference /@\.\=\k\+\%(\.\k\+\)*/
syntax match sdaParameter /\\\%(@\|\k\+\)/
syntax match sdaLocal /\k\@1<!\.\h\k*\%(\\@\)\=/
syntax match sdaLabel /\%(^\|:\)\s*\zs\h\k*\%(\\@\)\=\ze\s*:/
syntax match sdaDirective /\k\@1<!\.\%({directives}\)\>/
syntax match sdaDefinition /\%(\.\%(macro\|struct\|var\|equ\)\s\+\)\@<=\h\k*/

syntax match sdaEscape contained /\\\%([nrt0\\'"]\|x\x\x\)/
syntax region sdaString start=/"/ skip=/\\./ end=/"/ oneline contains=sdaEscape
syntax region sdaString start=/'/ skip=/\\./ end=/'/ oneline contains=sdaEscape
syntax match sdaComment /\%(;\|\/\/\).*$/ contains=@Spell

highlight default link sdaMnemonic Statement
highlight default link sdaJump Conditional
highlight default link sdaRegister Identifier
highlight default link sdaOperator Operator
highlight default link sdaNumber Number
highlight default link sdaFunction Function
highlight default link sdaConstant Constant
highlight default link sdaField Type
highlight default link sdaReference Identifier
highlight default link sdaParameter Special
highlight default link sdaLocal Label
highlight default link sdaLabel Function
highlight default link sdaDirective PreProc
highlight default link sdaDefinition Function
highlight default link sdaEscape SpecialChar
highlight default link sdaString String
highlight default link sdaComment Comment

let b:current_syntax = "sda"
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colours_for_vim_are_fresh() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../editors/vim/syntax/sda.vim");
        let written = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            written == vim_syntax(),
            "the colours are stale: run `cargo run -p lsp --example grammar vim > editors/vim/syntax/sda.vim`"
        );
    }
}
