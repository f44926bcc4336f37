//! From what the terminal shows to what it is to show: the bytes of one
//! frame, with only the changed cells in them.

use std::io::{self, Write};

use crossterm::QueueableCommand;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::style::{Attribute, SetAttribute};
use crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};

use super::canvas::{Canvas, Cell};
use super::colour::Style;

/// The bytes that turn a window which shows `old` into one that shows `new`;
/// empty when nothing differs. `None`, or another size, is a window whose
/// content is not known: it is erased and drawn afresh. They are meant to be
/// written at once, and stand in synchronized-update brackets so that no
/// terminal shows half of them (case 30).
pub fn frame(old: Option<&Canvas>, new: &Canvas) -> Vec<u8> {
    let old = old.filter(|old| old.size == new.size);
    if old == Some(new) {
        return Vec::new();
    }
    let mut out = Vec::new();
    // Writing to a vector cannot fail.
    let _ = queue_frame(&mut out, old, new);
    out
}

fn queue_frame(out: &mut Vec<u8>, old: Option<&Canvas>, new: &Canvas) -> io::Result<()> {
    out.queue(BeginSynchronizedUpdate)?;
    let erased;
    let shown = match old {
        Some(old) => old,
        None => {
            out.queue(SetAttribute(Attribute::Reset))?.queue(Clear(ClearType::All))?;
            erased = Canvas::blank(new.size);
            &erased
        }
    };
    let drawn = queue_cells(out, shown, new)?;
    queue_cursor(out, old, new, drawn)?;
    out.queue(EndSynchronizedUpdate)?;
    Ok(())
}

/// Whether any cell was drawn, so that the terminal's cursor has moved.
fn queue_cells(out: &mut Vec<u8>, old: &Canvas, new: &Canvas) -> io::Result<bool> {
    let columns = usize::from(new.size.columns).max(1);
    // Where the terminal's cursor stands; nothing is assumed at first.
    let mut place = None;
    let mut style: Option<Option<Style>> = None;
    for (index, (shown, cell)) in old.cells.iter().zip(&new.cells).enumerate() {
        if shown == cell {
            continue;
        }
        let Cell { character, style: wanted } = *cell;
        if place != Some(index) {
            // A canvas is at most 1,000 columns and 500 rows.
            out.queue(MoveTo((index % columns) as u16, (index / columns) as u16))?;
        }
        if style != Some(wanted) {
            match wanted {
                Some(wanted) => wanted.select(out),
                None => {
                    out.queue(SetAttribute(Attribute::Reset))?;
                }
            }
            style = Some(wanted);
        }
        write!(out, "{character}")?;
        // After the last column terminals disagree about where they are.
        place = Some(index + 1).filter(|next| next % columns != 0);
    }
    Ok(style.is_some())
}

fn queue_cursor(
    out: &mut Vec<u8>,
    old: Option<&Canvas>,
    new: &Canvas,
    drawn: bool,
) -> io::Result<()> {
    let shown = old.and_then(|old| old.cursor);
    match new.cursor {
        Some((column, row)) => {
            if drawn || shown != new.cursor {
                out.queue(MoveTo(column, row))?;
            }
            if shown.is_none() {
                out.queue(Show)?;
            }
        }
        None if shown.is_some() || old.is_none() => {
            out.queue(Hide)?;
        }
        None => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::canvas::Size;
    use super::*;

    const SIZE: Size = Size { columns: 10, rows: 3 };
    const PLAIN: Option<Style> = Some(Style::Ansi16(7, 0));

    fn canvas(text: &str) -> Canvas {
        let mut canvas = Canvas::blank(SIZE);
        for (cell, character) in canvas.cells.iter_mut().zip(text.chars()) {
            *cell = Cell { character, style: PLAIN };
        }
        canvas
    }

    fn text(bytes: &[u8]) -> String {
        bytes.escape_ascii().to_string()
    }

    #[test]
    fn nothing_changed_writes_nothing() {
        assert_eq!(frame(Some(&canvas("abc")), &canvas("abc")), b"");
    }

    #[test]
    fn only_changed_cells_are_written() {
        let bytes = frame(Some(&canvas("abcdef")), &canvas("abXdYZ"));
        assert_eq!(text(&bytes), r"\x1b[?2026h\x1b[1;3H\x1b[0;37;40mX\x1b[1;5HYZ\x1b[?2026l");
    }

    #[test]
    fn an_unknown_window_is_erased_first() {
        let bytes = frame(None, &canvas("ab"));
        assert_eq!(
            text(&bytes),
            r"\x1b[?2026h\x1b[0m\x1b[2J\x1b[1;1H\x1b[0;37;40mab\x1b[?25l\x1b[?2026l"
        );
    }

    #[test]
    fn another_size_is_an_unknown_window() {
        let bytes = frame(Some(&Canvas::blank(Size { columns: 9, rows: 3 })), &canvas("ab"));
        assert!(text(&bytes).contains(r"\x1b[2J"));
    }

    #[test]
    fn the_cursor_is_shown_moved_and_hidden() {
        let mut with = canvas("ab");
        with.cursor = Some((4, 1));
        assert_eq!(
            text(&frame(Some(&canvas("ab")), &with)),
            r"\x1b[?2026h\x1b[2;5H\x1b[?25h\x1b[?2026l"
        );
        let mut typed = canvas("aX");
        typed.cursor = Some((4, 1));
        assert_eq!(
            text(&frame(Some(&with), &typed)),
            r"\x1b[?2026h\x1b[1;2H\x1b[0;37;40mX\x1b[2;5H\x1b[?2026l"
        );
        assert_eq!(text(&frame(Some(&with), &canvas("ab"))), r"\x1b[?2026h\x1b[?25l\x1b[?2026l");
    }

    #[test]
    fn a_row_end_is_never_run_over() {
        let bytes = frame(Some(&canvas("")), &canvas("abcdefghijk"));
        assert!(text(&bytes).contains(r"abcdefghij\x1b[2;1Hk"), "{}", text(&bytes));
    }

    /// Frames applied one after the other show what the last canvas says: a
    /// terminal is asked, with canvases made from a simple generator.
    #[test]
    fn a_terminal_ends_up_with_the_new_canvas() {
        let rows = std::num::NonZeroU16::new(SIZE.rows).unwrap();
        let columns = std::num::NonZeroU16::new(SIZE.columns).unwrap();
        let mut terminal = vt100::Parser::new(rows, columns, 0);
        let mut state = 12_345u32;
        let mut next = |bound: u32| {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            (state >> 16) % bound
        };
        let mut shown: Option<Canvas> = None;
        for _ in 0..500 {
            let mut new = shown.clone().unwrap_or_else(|| Canvas::blank(SIZE));
            for _ in 0..next(6) {
                let index = next(30) as usize;
                let character = char::from(b'a' + next(26) as u8);
                let style = Some(Style::Ansi16(next(16) as u8, next(16) as u8));
                new.cells[index] = Cell { character, style };
            }
            new.cursor = (next(2) == 0).then(|| (next(10) as u16, next(3) as u16));
            terminal.process(&frame(shown.as_ref(), &new));
            for (index, cell) in new.cells.iter().enumerate() {
                let (row, column) = ((index / 10) as u16, (index % 10) as u16);
                let seen = terminal.screen().cell(row, column).unwrap();
                let character = seen.contents().chars().next().unwrap_or(' ');
                assert_eq!(character, cell.character);
                if let Some(Style::Ansi16(foreground, background)) = cell.style {
                    assert_eq!(seen.fgcolor(), vt100::Color::Idx(foreground));
                    assert_eq!(seen.bgcolor(), vt100::Color::Idx(background));
                }
            }
            assert_eq!(terminal.screen().hide_cursor(), new.cursor.is_none());
            if let Some((column, row)) = new.cursor {
                assert_eq!(terminal.screen().cursor_position(), (row, column));
            }
            shown = Some(new);
        }
    }
}
