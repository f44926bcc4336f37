//! The machine's colours on terminals that show fewer: true colour, 256, 16
//! or none at all.

/// Red, green, blue, 0–255 each.
pub type Rgb = [u8; 3];

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Any red, green and blue.
    True,
    /// The 6×6×6 cube and 24 greys; the lower sixteen are the user's own.
    Indexed256,
    /// The eight colours and their bright halves.
    Ansi16,
    /// No colours: bold for bright text, dim for dark grey, underlined for the
    /// colours that warn, reverse for a background.
    None,
}

impl Depth {
    /// What the environment says: `NO_COLOR` (not empty), `COLORTERM` and
    /// `TERM`, looked up through `variable`.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Depth {
        let get = |name| variable(name).unwrap_or_default();
        let term = get("TERM");
        if !get("NO_COLOR").is_empty() {
            return Depth::None;
        }
        if matches!(get("COLORTERM").as_str(), "truecolor" | "24bit") || term.ends_with("-direct") {
            return Depth::True;
        }
        const TRUE: [&str; 6] = ["alacritty", "contour", "foot", "ghostty", "kitty", "wezterm"];
        if TRUE.iter().any(|name| term.split('-').any(|part| part == *name)) {
            return Depth::True;
        }
        if term.contains("256") {
            return Depth::Indexed256;
        }
        if matches!(term.as_str(), "vt100" | "vt102" | "vt220" | "vt320") || term.ends_with("-mono")
        {
            return Depth::None;
        }
        Depth::Ansi16
    }
}

/// How one cell is painted; what a terminal's SGR sequence can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Foreground and background as they are.
    True(Rgb, Rgb),
    /// Indices 16–255.
    Indexed256(u8, u8),
    /// Indices 0–15.
    Ansi16(u8, u8),
    /// The terminal's own two colours.
    Plain {
        /// Brighter than usual.
        bold: bool,
        /// Darker than usual.
        dim: bool,
        /// Yellow or red, which warn.
        underline: bool,
        /// The two colours swapped.
        reverse: bool,
    },
}

impl Style {
    /// The nearest to `foreground` on `background`. Two colours that differ
    /// stay different, so text never vanishes by rounding.
    pub fn nearest(depth: Depth, foreground: Rgb, background: Rgb) -> Style {
        match depth {
            Depth::True => Style::True(foreground, background),
            Depth::Indexed256 => {
                let (foreground, background) = pair(foreground, background, 16..=255, indexed);
                Style::Indexed256(foreground, background)
            }
            Depth::Ansi16 => {
                let (foreground, background) =
                    pair(foreground, background, 0..=15, |index| ANSI[index as usize]);
                Style::Ansi16(foreground, background)
            }
            Depth::None => {
                let reverse = brightest(background) >= VISIBLE;
                Style::Plain {
                    bold: brightest(foreground) >= BRIGHT,
                    dim: !reverse && brightest(foreground) < DARK,
                    underline: foreground[0] >= BRIGHT && foreground[2] < DARK,
                    reverse,
                }
            }
        }
    }

    /// Adds the SGR sequence that selects this style, whatever was selected
    /// before.
    pub fn select(self, out: &mut Vec<u8>) {
        let text = match self {
            Style::True([r, g, b], [br, bg, bb]) => {
                format!("\x1b[0;38;2;{r};{g};{b};48;2;{br};{bg};{bb}m")
            }
            Style::Indexed256(foreground, background) => {
                format!("\x1b[0;38;5;{foreground};48;5;{background}m")
            }
            Style::Ansi16(foreground, background) => format!(
                "\x1b[0;{};{}m",
                ansi_code(foreground, 30, 90),
                ansi_code(background, 40, 100)
            ),
            Style::Plain { bold, dim, underline, reverse } => {
                let codes = [(bold, ";1"), (dim, ";2"), (underline, ";4"), (reverse, ";7")];
                let chosen = codes.iter().filter(|(on, _)| *on).map(|(_, code)| *code);
                format!("\x1b[0{}m", chosen.collect::<String>())
            }
        };
        out.extend_from_slice(text.as_bytes());
    }
}

/// The sixteen ANSI colours as most terminals show them.
const ANSI: [Rgb; 16] = [
    [0, 0, 0],
    [170, 0, 0],
    [0, 170, 0],
    [170, 85, 0],
    [0, 0, 170],
    [170, 0, 170],
    [0, 170, 170],
    [170, 170, 170],
    [85, 85, 85],
    [255, 85, 85],
    [85, 255, 85],
    [255, 255, 85],
    [85, 85, 255],
    [255, 85, 255],
    [85, 255, 255],
    [255, 255, 255],
];

/// Text whose strongest component is this strong is bold where there are no
/// colours: the bright half of the sixteen, not the usual light grey.
const BRIGHT: u8 = 0xD0;
/// Text whose strongest component is below this is dim: dark grey and black, no
/// other of the sixteen. The third component of yellow and of red is too.
const DARK: u8 = 0x60;
/// A background from here on is one to the eye, and shown reversed.
const VISIBLE: u8 = 0x30;

fn ansi_code(index: u8, normal: u8, bright: u8) -> u8 {
    if index < 8 { normal + index } else { bright + (index - 8) }
}

/// What index 16–255 looks like.
fn indexed(index: u8) -> Rgb {
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    match index {
        232.. => [8 + 10 * (index - 232); 3],
        _ => {
            let cube = index.saturating_sub(16);
            [level(cube / 36), level(cube / 6 % 6), level(cube % 6)]
        }
    }
}

/// The nearest indices for text and background; different when the colours
/// are.
fn pair(
    foreground: Rgb,
    background: Rgb,
    indices: std::ops::RangeInclusive<u8>,
    colour: impl Fn(u8) -> Rgb,
) -> (u8, u8) {
    let nearest = |wanted: Rgb, taken: Option<u8>| {
        indices
            .clone()
            .filter(|&index| Some(index) != taken)
            .min_by_key(|&index| distance(wanted, colour(index)))
            .unwrap_or(*indices.start())
    };
    let paper = nearest(background, None);
    let text = nearest(foreground, (foreground != background).then_some(paper));
    (text, paper)
}

/// How different two colours look: weighted by what the eye sees most.
fn distance(a: Rgb, b: Rgb) -> u32 {
    let square = |index: usize| u32::from(a[index].abs_diff(b[index])).pow(2);
    3 * square(0) + 6 * square(1) + square(2)
}

fn brightest([r, g, b]: Rgb) -> u8 {
    r.max(g).max(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLACK: Rgb = [0, 0, 0];
    const WHITE: Rgb = [255, 255, 255];
    const GREY: Rgb = [0xC4, 0xC4, 0xC4];

    fn detect(variables: &[(&str, &str)]) -> Depth {
        Depth::detect(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
        })
    }

    #[test]
    fn the_environment_tells_the_depth() {
        assert_eq!(detect(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")]), Depth::True);
        assert_eq!(detect(&[("TERM", "xterm-256color"), ("COLORTERM", "24bit")]), Depth::True);
        assert_eq!(detect(&[("TERM", "xterm-kitty")]), Depth::True);
        assert_eq!(detect(&[("TERM", "xterm-direct")]), Depth::True);
        assert_eq!(detect(&[("TERM", "screen-256color")]), Depth::Indexed256);
        assert_eq!(detect(&[("TERM", "xterm")]), Depth::Ansi16);
        assert_eq!(detect(&[("TERM", "linux")]), Depth::Ansi16);
        assert_eq!(detect(&[("TERM", "vt220")]), Depth::None);
    }

    #[test]
    fn no_color_wins_and_must_not_be_empty() {
        let rich = ("COLORTERM", "truecolor");
        assert_eq!(detect(&[rich, ("NO_COLOR", "1")]), Depth::None);
        assert_eq!(detect(&[rich, ("NO_COLOR", "")]), Depth::True);
    }

    #[test]
    fn the_cga_sixteen_map_onto_the_ansi_sixteen() {
        // Black, blue, green, cyan, red, magenta, brown, grey and the bright
        // half, as palette 5 has them.
        let palette: [(Rgb, u8); 16] = [
            ([0, 0, 0], 0),
            ([0, 0, 0xC4], 4),
            ([0, 0xC4, 0], 2),
            ([0, 0xC4, 0xC4], 6),
            ([0xC4, 0, 0], 1),
            ([0xC4, 0, 0xC4], 5),
            ([0xC4, 0x7E, 0], 3),
            ([0xC4, 0xC4, 0xC4], 7),
            ([0x4E, 0x4E, 0x4E], 8),
            ([0x4E, 0x4E, 0xDC], 12),
            ([0x4E, 0xDC, 0x4E], 10),
            ([0x4E, 0xF3, 0xF3], 14),
            ([0xDC, 0x4E, 0x4E], 9),
            ([0xF3, 0x4E, 0xF3], 13),
            ([0xF3, 0xF3, 0x4E], 11),
            ([255, 255, 255], 15),
        ];
        for (rgb, index) in palette {
            let paper = if index == 0 { WHITE } else { BLACK };
            let Style::Ansi16(text, _) = Style::nearest(Depth::Ansi16, rgb, paper) else {
                panic!("not the sixteen");
            };
            assert_eq!(text, index, "{rgb:?}");
        }
    }

    #[test]
    fn two_hundred_and_fifty_six_use_the_cube_and_the_greys() {
        assert_eq!(Style::nearest(Depth::Indexed256, WHITE, BLACK), Style::Indexed256(231, 16));
        assert_eq!(
            Style::nearest(Depth::Indexed256, [0x4E; 3], [255, 0, 0]),
            Style::Indexed256(239, 196)
        );
    }

    #[test]
    fn different_colours_stay_different() {
        let near = [1, 1, 1];
        for depth in [Depth::Indexed256, Depth::Ansi16] {
            match Style::nearest(depth, near, BLACK) {
                Style::Indexed256(text, paper) | Style::Ansi16(text, paper) => {
                    assert_ne!(text, paper);
                }
                other => panic!("{other:?}"),
            }
            match Style::nearest(depth, near, near) {
                Style::Indexed256(text, paper) | Style::Ansi16(text, paper) => {
                    assert_eq!(text, paper);
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn without_colours_bright_is_bold_and_a_background_is_reverse() {
        let plain = Style::Plain { bold: false, dim: false, underline: false, reverse: false };
        let none = |foreground, background| Style::nearest(Depth::None, foreground, background);
        let with = |change: fn(&mut [bool; 4])| {
            let mut on = [false; 4];
            change(&mut on);
            let [bold, dim, underline, reverse] = on;
            Style::Plain { bold, dim, underline, reverse }
        };
        assert_eq!(none(GREY, BLACK), plain);
        assert_eq!(none(WHITE, BLACK), with(|on| on[0] = true));
        assert_eq!(none(BLACK, GREY), with(|on| on[3] = true));
        assert_eq!(
            none([0xF3, 0xF3, 0x4E], [0, 0, 0xC4]),
            with(|on| *on = [true, false, true, true])
        );
    }

    /// What a game shows by colour alone: remembered or in sight, well or hurt.
    #[test]
    fn without_colours_dark_grey_is_dim_and_warnings_are_underlined() {
        let shown = |foreground| match Style::nearest(Depth::None, foreground, BLACK) {
            Style::Plain { bold, dim, underline, .. } => (bold, dim, underline),
            other => panic!("{other:?}"),
        };
        assert_eq!(shown([0x4E; 3]), (false, true, false), "dark grey");
        assert_eq!(shown([0xF3, 0xF3, 0x4E]), (true, false, true), "yellow");
        assert_eq!(shown([0xDC, 0x4E, 0x4E]), (true, false, true), "light red");
        assert_eq!(shown([0xFF; 3]), (true, false, false), "white");
        let others = [[0, 0, 0xC4], [0xC4, 0, 0], [0xC4, 0x7E, 0], [0, 0xC4, 0], [0xC4; 3]];
        for dark in others {
            assert_eq!(shown(dark), (false, false, false), "{dark:?}");
        }
        assert_eq!(shown([0xF3, 0x4E, 0xF3]), (true, false, false), "light magenta");
    }

    #[test]
    fn sequences_say_everything_each_time() {
        let mut out = Vec::new();
        Style::True([1, 2, 3], [4, 5, 6]).select(&mut out);
        Style::Indexed256(231, 16).select(&mut out);
        Style::Ansi16(9, 12).select(&mut out);
        Style::Plain { bold: true, dim: false, underline: false, reverse: true }.select(&mut out);
        Style::Plain { bold: false, dim: true, underline: true, reverse: false }.select(&mut out);
        assert_eq!(
            String::from_utf8_lossy(&out),
            "\x1b[0;38;2;1;2;3;48;2;4;5;6m\x1b[0;38;5;231;48;5;16m\x1b[0;91;104m\x1b[0;1;7m\x1b[0;2;4m"
        );
    }
}
