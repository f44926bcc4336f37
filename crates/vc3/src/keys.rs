//! Key strings: `jjl<Left><Enter>` to the keys that a program receives
//! (`--keys`; machine manual, section 9).

use isa::keys::{code, modifier};
use sd8516::Key;
use thiserror::Error;

/// What is wrong with a key string.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum KeyError {
    /// `<` without its `>`.
    #[error("`<` at character {at} has no `>`; write `<<` for the key `<`")]
    Open {
        /// The character's place, from 1.
        at: usize,
    },
    /// A name in angle brackets that is no key.
    #[error(
        "`<{name}>` at character {at} is no key; keys are Left Right Up Down Enter Esc Space Tab \
         Backspace PgUp PgDn Home End Ins Del F1 to F12 and one character, after C- S- or A- for \
         Ctrl, Shift or Alt, such as <C-p> or <S-Left>; `<<` is `<`"
    )]
    Name {
        /// What stands between the brackets.
        name: String,
        /// The character's place, from 1.
        at: usize,
    },
    /// A character that no key types.
    #[error(
        "{character:?} at character {at} is not a key; keys are ASCII, and `<Enter>` and the like"
    )]
    Character {
        /// The character.
        character: char,
        /// Its place, from 1.
        at: usize,
    },
    /// Ctrl-C, which the terminal keeps for itself.
    #[error("`<{name}>` at character {at}: Ctrl-C never reaches a program, it stops it")]
    CtrlC {
        /// What stands between the brackets.
        name: String,
        /// The character's place, from 1.
        at: usize,
    },
}

const NAMES: [(&str, u8); 26] = [
    ("left", code::LEFT),
    ("right", code::RIGHT),
    ("up", code::UP),
    ("down", code::DOWN),
    ("enter", code::ENTER),
    ("return", code::ENTER),
    ("cr", code::ENTER),
    ("esc", code::ESCAPE),
    ("escape", code::ESCAPE),
    ("space", code::SPACE),
    ("tab", code::TAB),
    ("backspace", code::BACKSPACE),
    ("bs", code::BACKSPACE),
    ("pgup", code::PAGE_UP),
    ("pageup", code::PAGE_UP),
    ("pgdn", code::PAGE_DOWN),
    ("pagedown", code::PAGE_DOWN),
    ("home", code::HOME),
    ("end", code::END),
    ("ins", code::INSERT),
    ("insert", code::INSERT),
    ("del", code::DELETE),
    ("delete", code::DELETE),
    ("lt", b'<'),
    ("gt", b'>'),
    ("minus", b'-'),
];

/// The keys that `text` stands for.
pub fn parse(text: &str) -> Result<Vec<Key>, KeyError> {
    let characters: Vec<char> = text.chars().collect();
    let mut keys = Vec::with_capacity(characters.len());
    let mut at = 0;
    while let Some(&character) = characters.get(at) {
        match character {
            '<' if characters.get(at + 1) == Some(&'<') => {
                keys.push(Key { code: b'<', flags: 0 });
                at += 2;
            }
            '<' => {
                let rest = &characters[at + 1..];
                // The first character may itself be `>`, as in `<C->>`, but
                // `<>` alone names nothing.
                let length = closing(rest).ok_or(KeyError::Open { at: at + 1 })?;
                let name: String = rest[..length].iter().collect();
                keys.push(named(&name, at + 1)?);
                at += length + 2;
            }
            ' '..='~' => {
                keys.push(Key { code: character as u8, flags: 0 });
                at += 1;
            }
            _ => return Err(KeyError::Character { character, at: at + 1 }),
        }
    }
    Ok(keys)
}

/// How many characters stand before the bracket that closes a name.
fn closing(rest: &[char]) -> Option<usize> {
    let first = rest.iter().position(|&c| c == '>')?;
    let is_the_key = first >= 2 && rest[first - 1] == '-' && rest.get(first + 1) == Some(&'>');
    Some(if is_the_key { first + 1 } else { first })
}

fn named(name: &str, at: usize) -> Result<Key, KeyError> {
    let unknown = || KeyError::Name { name: name.to_string(), at };
    let mut flags = 0;
    let mut rest = name;
    while let Some((letter, after)) = modifier_prefix(rest) {
        flags |= letter;
        rest = after;
    }
    let mut characters = rest.chars();
    let plain = match (characters.next(), characters.next()) {
        (Some(character @ '!'..='~'), None) if flags != 0 => Some(character as u8),
        _ => by_name(rest),
    };
    let mut code = plain.ok_or_else(unknown)?;
    if flags & modifier::SHIFT != 0 {
        code = code.to_ascii_uppercase();
    }
    if flags & modifier::CTRL != 0 && code.is_ascii_alphabetic() {
        code = code.to_ascii_lowercase() - b'a' + 1;
        if code == 3 {
            return Err(KeyError::CtrlC { name: name.to_string(), at });
        }
    }
    Ok(Key { code, flags })
}

/// The flag of a leading `C-`, `S-` or `A-`, and what follows it.
fn modifier_prefix(name: &str) -> Option<(u8, &str)> {
    let (letter, rest) = name.split_once('-').filter(|(_, rest)| !rest.is_empty())?;
    let flag = match letter {
        "C" | "c" => modifier::CTRL,
        "S" | "s" => modifier::SHIFT,
        "A" | "a" | "M" | "m" => modifier::ALT,
        _ => return None,
    };
    Some((flag, rest))
}

fn by_name(name: &str) -> Option<u8> {
    let name = name.to_ascii_lowercase();
    if let Some(number) = name.strip_prefix('f') {
        let number: u8 = number.parse().ok().filter(|n| (1..=12).contains(n))?;
        // `F01` and `F+1` are no names of a key.
        return (name == format!("f{number}")).then(|| code::F1 + number - 1);
    }
    NAMES.iter().find(|(known, _)| *known == name).map(|&(_, code)| code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<(u8, u8)> {
        parse(text).unwrap().iter().map(|key| (key.code, key.flags)).collect()
    }

    #[test]
    fn characters_as_typed() {
        assert_eq!(codes("jL ~"), [(b'j', 0), (b'L', 0), (b' ', 0), (b'~', 0)]);
        assert_eq!(codes(""), []);
        assert_eq!(codes("a<<b>"), [(b'a', 0), (b'<', 0), (b'b', 0), (b'>', 0)]);
        assert_eq!(codes("<<<<"), [(b'<', 0), (b'<', 0)]);
    }

    #[test]
    fn names() {
        let all =
            "<Left><Right><Up><Down><Enter><Esc><Space><Tab><Backspace><PgUp><PgDn><Home><End>";
        let expected = [0x80, 0x83, 0x82, 0x81, 13, 27, 32, 9, 8, 0x86, 0x87, 0x84, 0x85];
        assert_eq!(codes(all), expected.map(|code| (code, 0)));
        assert_eq!(codes("<F1><f12><left><Ins><Del>").len(), 5);
        assert_eq!(codes("<F1><f12>"), [(0x90, 0), (0x9B, 0)]);
    }

    #[test]
    fn modifiers() {
        assert_eq!(codes("<C-p><C-P>"), [(16, 0x20), (16, 0x20)]);
        assert_eq!(codes("<S-Left><A-x><C-S-Up>"), [(0x80, 0x10), (b'x', 0x40), (0x82, 0x30)]);
        assert_eq!(codes("<S-a><C->><A-->"), [(b'A', 0x10), (b'>', 0x20), (b'-', 0x40)]);
    }

    #[test]
    fn errors_name_the_place() {
        assert_eq!(parse("jj<Lef"), Err(KeyError::Open { at: 3 }));
        assert_eq!(parse("a<Lefft>"), Err(KeyError::Name { name: "Lefft".into(), at: 2 }));
        for name in ["", "F0", "F13", "F01", "x", "C-", "C-é", "Q-x"] {
            let text = format!("<{name}>");
            assert_eq!(parse(&text), Err(KeyError::Name { name: name.into(), at: 1 }), "{text}");
        }
        assert_eq!(parse("é"), Err(KeyError::Character { character: 'é', at: 1 }));
        assert_eq!(parse("a\n"), Err(KeyError::Character { character: '\n', at: 2 }));
        assert_eq!(parse("<C-c>"), Err(KeyError::CtrlC { name: "C-c".into(), at: 1 }));
    }
}
