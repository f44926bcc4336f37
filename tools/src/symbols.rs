//! What the data calls things, resolved: colours, glyphs and dice. The data never
//! holds a number that stands for something else.

/// The colours by their CGA names, as const.sda calls them. Black and dark grey
/// are left out: nothing that is lit may have them.
const COLOURS: [(&str, &str); 14] = [
    ("blue", "BLUE"),
    ("green", "GREEN"),
    ("cyan", "CYAN"),
    ("red", "RED"),
    ("magenta", "MAGENTA"),
    ("brown", "BROWN"),
    ("light grey", "LIGHT_GREY"),
    ("light blue", "LIGHT_BLUE"),
    ("light green", "LIGHT_GREEN"),
    ("light cyan", "LIGHT_CYAN"),
    ("light red", "LIGHT_RED"),
    ("light magenta", "LIGHT_MAGENTA"),
    ("yellow", "YELLOW"),
    ("white", "WHITE"),
];

/// The constant of a colour.
pub fn colour(name: &str) -> Option<&'static str> {
    COLOURS.iter().find(|(known, _)| *known == name).map(|(_, constant)| *constant)
}

/// One printable character as a character constant.
pub fn glyph(text: &str) -> Option<String> {
    let mut characters = text.chars();
    match (characters.next()?, characters.next()) {
        ('\'', None) => Some("'\\''".to_owned()),
        ('\\', None) => Some("'\\\\'".to_owned()),
        (one, None) if one.is_ascii_graphic() => Some(format!("'{one}'")),
        _ => None,
    }
}

/// `count` dice of `sides` sides and a bonus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dice {
    /// How many are rolled, 0 to 255.
    pub count: u8,
    /// 1 to that, 0 to 255.
    pub sides: u8,
    /// Added to their sum.
    pub bonus: i8,
}

impl Dice {
    /// Reads `2d6`, `1d2-1`, `1d4+2`, or `0` for none at all.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "0" {
            return Some(Self { count: 0, sides: 0, bonus: 0 });
        }
        let (count, rest) = text.split_once('d')?;
        let split = rest.find(['+', '-']).unwrap_or(rest.len());
        let (sides, bonus) = rest.split_at(split);
        let bonus = if bonus.is_empty() { 0 } else { bonus.parse().ok()? };
        Some(Self { count: count.parse().ok()?, sides: sides.parse().ok()?, bonus })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice() {
        let dice = |count, sides, bonus| Some(Dice { count, sides, bonus });
        assert_eq!(Dice::parse("2d6"), dice(2, 6, 0));
        assert_eq!(Dice::parse("1d2-1"), dice(1, 2, -1));
        assert_eq!(Dice::parse("1d4+2"), dice(1, 4, 2));
        assert_eq!(Dice::parse("0"), dice(0, 0, 0));
        for wrong in ["", "d6", "2d", "2", "2d6-", "2d6x", "300d6", "2d6+200"] {
            assert_eq!(Dice::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn colours_are_those_of_a_lit_square() {
        assert_eq!(colour("light grey"), Some("LIGHT_GREY"));
        assert_eq!(colour("dark grey"), None);
        assert_eq!(colour("black"), None);
    }

    #[test]
    fn glyphs() {
        assert_eq!(glyph("@").as_deref(), Some("'@'"));
        assert_eq!(glyph("'").as_deref(), Some("'\\''"));
        assert_eq!(glyph("ab"), None);
        assert_eq!(glyph(" "), None);
    }
}
