//! The screen as a person reads it: the map window, the status panel, the
//! messages, and the pages that cover the map.

use sd8516::Picture;

/// Columns of the screen.
const WIDTH: usize = 80;
/// The map window: left and upper edge, columns and rows.
pub const VIEW: (usize, usize, usize, usize) = (1, 1, 58, 23);
const PANEL: usize = 60;
const PANEL_WIDTH: usize = 19;
const PAGE: usize = 2;
const PAGE_WIDTH: usize = 56;
const FOOTER: usize = 23;
const MESSAGES: std::ops::RangeInclusive<usize> = 11..=23;
/// The colour of a square that is only remembered.
pub const DARK_GREY: u8 = 8;

/// Glyphs, colours and the cursor of one moment.
#[derive(Clone, Debug)]
pub struct Screen {
    glyphs: Vec<u8>,
    colours: Vec<u8>,
    cursor: Option<(usize, usize)>,
    said: String,
}

/// What is asked of the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The title screen.
    Title,
    /// `-- more --`.
    More,
    /// `-- press any key --`, or a list to look at.
    AnyKey,
    /// A letter out of a list.
    Letter,
    /// One of the thirteen slots.
    Slot,
    /// What to be better at.
    Stat,
    /// `Really attack?`
    Attack,
    /// A command.
    Command,
}

/// The status panel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Hit points left.
    pub hp: u32,
    /// And when well.
    pub hp_max: u32,
    /// The defence rating.
    pub armour: u32,
    /// Strength and dexterity.
    pub strength: u32,
    /// What counts three times in every blow.
    pub dexterity: u32,
    /// What makes things cheaper.
    pub intelligence: u32,
    /// Something is held in the hand.
    pub wields: bool,
    /// Energy left of 5,000.
    pub energy: u32,
    /// Experience level.
    pub level: u32,
    /// Experience.
    pub xp: u32,
    /// Name of the place.
    pub place: String,
    /// How deep it is.
    pub depth: u32,
    /// Gold.
    pub gold: u32,
    /// Turns gone by.
    pub turns: u32,
    /// Hunger and conditions, as words.
    pub words: String,
}

impl Status {
    /// Is a condition in force, or a hunger felt? The panel may cut the words to
    /// four letters.
    pub fn is(&self, word: &str) -> bool {
        self.words.split_whitespace().any(|shown| shown.get(..4) == word.get(..4))
    }
}

/// A line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key that chooses it.
    pub letter: u8,
    /// The heading that it stands under.
    pub heading: String,
    /// What it is called, without the note.
    pub name: String,
    /// Whether it is wielded or worn.
    pub in_use: bool,
    /// What it costs, or what is offered for it.
    pub price: Option<u32>,
}

impl Screen {
    /// Reads a picture's two planes.
    pub fn of(picture: &Picture) -> Screen {
        let mut screen = Screen {
            glyphs: picture.glyphs.clone(),
            colours: picture.colours.clone(),
            cursor: picture.cursor.map(|(x, y)| (usize::from(x), usize::from(y))),
            said: String::new(),
        };
        screen.said = screen.messages(MESSAGES);
        screen
    }

    /// Glyph and colour of a cell; a blank outside.
    pub fn cell(&self, x: usize, y: usize) -> (u8, u8) {
        let at = y * WIDTH + x;
        let colour = self.colours.get(at).copied().unwrap_or(0);
        (self.glyphs.get(at).copied().unwrap_or(b' '), colour & 15)
    }

    fn text(&self, x: usize, y: usize, width: usize) -> String {
        let mut text = String::with_capacity(width);
        let cells = (x..x + width).map(|x| char::from(self.cell(x, y).0));
        text.extend(cells.map(|glyph| if glyph == '\0' { ' ' } else { glyph }));
        text
    }

    /// Does a row say that, from a column on?
    fn says(&self, x: usize, y: usize, words: &str) -> bool {
        let at = y * WIDTH + x;
        self.glyphs.get(at..at + words.len()) == Some(words.as_bytes())
    }

    /// Rows of the message window as one line.
    fn messages(&self, rows: std::ops::RangeInclusive<usize>) -> String {
        let mut line = String::with_capacity(PANEL_WIDTH * MESSAGES.count());
        for row in rows {
            let text = self.text(PANEL, row, PANEL_WIDTH);
            let text = text.trim();
            if !text.is_empty() && !line.is_empty() {
                line.push(' ');
            }
            line.push_str(text);
        }
        line
    }

    /// All rows, for a person to look at.
    pub fn rows(&self) -> String {
        let rows = (0..self.glyphs.len() / WIDTH).map(|y| self.text(0, y, WIDTH));
        rows.map(|row| row.trim_end().to_owned() + "\n").collect()
    }

    /// Whether the frame around map, status and messages is whole.
    pub fn is_framed(&self) -> bool {
        let post = |x: usize, y: usize| match (x, y) {
            (0, 10) => b'|',
            (_, 0 | 10 | 24) => b'+',
            _ => b'|',
        };
        (0..25).all(|y| [0, PANEL - 1, WIDTH - 1].iter().all(|&x| self.cell(x, y).0 == post(x, y)))
    }

    /// Where the player's `@` is, in cells of the screen.
    pub fn player(&self) -> Option<(usize, usize)> {
        let (left, top, width, height) = VIEW;
        let here = |&(x, y): &(usize, usize)| self.cell(x, y).0 == b'@';
        self.cursor.filter(here).or_else(|| {
            let cells = (top..top + height).flat_map(|y| (left..left + width).map(move |x| (x, y)));
            cells.into_iter().find(|&(x, y)| self.cell(x, y) == (b'@', 15))
        })
    }

    /// What is asked now.
    pub fn asked(&self) -> Asked {
        let footer = |words| self.says(PAGE, FOOTER, words);
        if self.says(PANEL, FOOTER, "-- more --") || footer("-- more --") {
            return Asked::More;
        }
        if footer("-- a letter") {
            return Asked::Letter;
        }
        if footer("-- A to M") {
            return Asked::Slot;
        }
        if footer("-- press") || footer("-- < ") {
            return Asked::AnyKey;
        }
        if !self.says(PANEL, 2, "HP:") {
            return Asked::Title;
        }
        let said = self.said();
        if said.ends_with("I: intelligence.") {
            return Asked::Stat;
        }
        // Walking into a shopkeeper is as little meant as walking into anybody else.
        let questions = ["Really attack?", "step again: swap)", "or sell (s)?"];
        if questions.iter().any(|question| said.ends_with(question)) {
            Asked::Attack
        } else {
            Asked::Command
        }
    }

    /// The message window as one line.
    pub fn said(&self) -> &str {
        &self.said
    }

    /// The end of what was said, enough to hold one message.
    pub fn last_said(&self) -> String {
        self.messages(19..=23)
    }

    /// The status panel.
    pub fn status(&self) -> Status {
        let numbers = |row| numbers(&self.text(PANEL, row, PANEL_WIDTH));
        let at = |numbers: &[u32], at: usize| numbers.get(at).copied().unwrap_or(0);
        let (hp, level, stats, purse) = (numbers(2), numbers(4), numbers(5), numbers(8));
        let place = self.text(PANEL, 7, PANEL_WIDTH);
        let (name, depth) = place.trim_end().rsplit_once('D').unwrap_or((&place, ""));
        Status {
            hp: at(&hp, 0),
            hp_max: at(&hp, 1),
            armour: at(&hp, 2),
            strength: at(&stats, 0),
            dexterity: at(&stats, 1),
            intelligence: at(&stats, 2),
            wields: !self.text(PANEL, 6, PANEL_WIDTH).contains("bare hands"),
            energy: at(&numbers(3), 0),
            level: at(&level, 0),
            xp: at(&level, 1),
            place: name.trim().to_owned(),
            depth: depth.parse().unwrap_or(0),
            gold: at(&purse, 0),
            turns: at(&purse, 1),
            words: self.text(PANEL, 9, PANEL_WIDTH).trim().to_owned(),
        }
    }

    /// The title of the page that covers the map.
    pub fn page_title(&self) -> String {
        self.text(PAGE, 1, PAGE_WIDTH).trim().to_owned()
    }

    /// The lines of the page that covers the map.
    pub fn page_lines(&self) -> Vec<String> {
        (3..FOOTER).map(|y| self.text(PAGE, y, PAGE_WIDTH).trim().to_owned()).collect()
    }

    /// Whether the list goes on.
    pub fn has_more_pages(&self) -> bool {
        self.text(PAGE, FOOTER, PAGE_WIDTH).contains("other pages")
    }

    /// The things of a list.
    pub fn entries(&self) -> Vec<Entry> {
        let mut heading = String::new();
        let mut entries = Vec::new();
        for line in self.page_lines() {
            match line.split_once(" - ") {
                Some((letter, text)) if letter.len() == 1 => {
                    let (text, price) = text.split_once(" - ").unwrap_or((text, ""));
                    let name = text.split(" (").next().unwrap_or(text).to_owned();
                    let in_use = text.contains(" (");
                    let letter = letter.as_bytes()[0];
                    let price = numbers(price).first().copied();
                    entries.push(Entry { letter, heading: heading.clone(), name, in_use, price });
                }
                _ if !line.is_empty() => heading = line,
                _ => {}
            }
        }
        entries
    }
}

/// The numbers in a text, in order.
fn numbers(text: &str) -> Vec<u32> {
    let pieces = text.split(|character: char| !character.is_ascii_digit());
    pieces.filter_map(|piece| piece.parse().ok()).collect()
}
