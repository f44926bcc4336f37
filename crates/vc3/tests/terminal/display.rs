//! What the terminal shows: the right cells in the right colours, drawn in
//! whole frames, at any size.

use tempfile::TempDir;
use vt100::Color;

use crate::pty::Session;
use crate::{fixture, play, play_with, vc3};

/// Character, foreground and background of a cell in the first row.
fn cell(session: &Session, column: u16) -> (String, Color, Color) {
    session.screen(|screen| {
        let cell = screen.cell(0, column).unwrap();
        (cell.contents().to_string(), cell.fgcolor(), cell.bgcolor())
    })
}

#[test]
fn colours_are_those_of_the_palette() {
    let session = play("colours.sda");
    session.wait_for("WRB");
    let grey = Color::Rgb(0xC4, 0xC4, 0xC4);
    let black = Color::Rgb(0, 0, 0);
    let white = Color::Rgb(255, 255, 255);
    assert_eq!(cell(&session, 0), ("W".into(), white, Color::Rgb(0, 0, 0xC4)));
    assert_eq!(cell(&session, 1), ("R".into(), Color::Rgb(0xC4, 0, 0), black));
    assert_eq!(cell(&session, 2), ("B".into(), black, grey));
    assert_eq!(cell(&session, 3), (" ".into(), grey, black));
}

#[test]
fn terminals_with_fewer_colours_get_the_nearest() {
    let session = play_with("colours.sda", (80, 25), &[("TERM", "xterm-256color")]);
    session.wait_for("WRB");
    assert_eq!(cell(&session, 0), ("W".into(), Color::Idx(231), Color::Idx(20)));
    let session = play_with("colours.sda", (80, 25), &[("TERM", "xterm")]);
    session.wait_for("WRB");
    assert_eq!(cell(&session, 0), ("W".into(), Color::Idx(15), Color::Idx(4)));
    assert_eq!(cell(&session, 1), ("R".into(), Color::Idx(1), Color::Idx(0)));
}

#[test]
fn no_color_shows_bold_and_reverse_only() {
    let variables = [("NO_COLOR", "1"), ("COLORTERM", "truecolor")];
    shows_no_colours(&play_with("colours.sda", (80, 25), &variables));
}

#[test]
fn no_colour_asks_for_the_same() {
    let program = fixture("colours.sda");
    for option in ["--no-colour", "--no-color"] {
        let words = ["run".as_ref(), program.as_os_str(), option.as_ref()];
        shows_no_colours(&Session::start(vc3(), words));
    }
    // The game, in the shell.
    let disk = TempDir::new().unwrap();
    let words = ["play", "rogueima", "--no-colour", "--disk", disk.path().to_str().unwrap()];
    let session = Session::start(vc3(), words);
    session.wait_for("new game");
    let is_plain = |cell: &vt100::Cell| cell.fgcolor() == Color::Default;
    session.screen(|screen| {
        let cells = (0..25).flat_map(|row| (0..80).filter_map(move |at| screen.cell(row, at)));
        assert!(cells.into_iter().all(is_plain));
    });
}

/// Bold and reverse text in the terminal's own two colours.
fn shows_no_colours(session: &Session) {
    session.wait_for("WRB");
    session.screen(|screen| {
        let looks: Vec<(bool, bool)> = (0..4)
            .map(|column| screen.cell(0, column).unwrap())
            .map(|cell| (cell.bold(), cell.inverse()))
            .collect();
        assert_eq!(looks, [(true, true), (false, false), (false, true), (false, false)]);
        for column in 0..80 {
            let cell = screen.cell(0, column).unwrap();
            assert_eq!((cell.fgcolor(), cell.bgcolor()), (Color::Default, Color::Default));
        }
    });
}

#[test]
fn the_cursor_is_the_machine_s() {
    let session = play("keys.sda");
    session.wait_for("ready>");
    session.wait_until("the cursor is shown", |session| {
        session.screen(|screen| !screen.hide_cursor() && screen.cursor_position() == (0, 7))
    });
    let session = play("colours.sda");
    session.wait_for("WRB");
    session.wait_settled();
    assert!(session.screen(|screen| screen.hide_cursor()));
}

#[test]
fn case_29_the_terminal_is_asked_nothing() {
    let mut session = play("keys.sda");
    session.wait_for("ready>");
    session.send("q");
    session.wait_exit();
    let bytes = String::from_utf8_lossy(&session.bytes()).into_owned();
    for question in ["\x1b[6n", "\x1b[5n", "\x1b[c", "\x1b[0c", "\x1b[>c", "\x1b[?u", "\x1b]11;?"] {
        assert!(!bytes.contains(question), "{}", question.escape_default());
    }
}

#[test]
fn case_30_frames_are_whole() {
    let mut session = play("keys.sda");
    session.wait_for("ready>");
    session.send("jkq");
    session.wait_exit();
    let bytes = String::from_utf8_lossy(&session.bytes()).into_owned();
    let entered = bytes.find("\x1b[?2004h").unwrap() + "\x1b[?2004h".len();
    let left = bytes.rfind("\x1b[?2026l").unwrap();
    let mut frames = &bytes[entered..left];
    // Between taking the terminal and giving it back there is nothing but
    // frames in their brackets.
    let mut count = 0;
    while !frames.is_empty() {
        let inside = frames.strip_prefix("\x1b[?2026h").expect("a frame begins");
        let end = inside.find("\x1b[?2026l").expect("a frame ends");
        frames = &inside[end + "\x1b[?2026l".len()..];
        count += 1;
    }
    assert!(count >= 1);
}

#[test]
fn only_changed_cells_are_sent() {
    let mut session = play("keys.sda");
    session.wait_for("ready>");
    session.wait_settled();
    let before = session.bytes().len();
    session.send("j");
    session.wait_for("106/0");
    session.wait_settled();
    let sent = session.bytes().len() - before;
    assert!(sent < 200, "{sent} bytes for one key");
}

#[test]
fn nothing_is_sent_while_nothing_changes() {
    let session = play("colours.sda");
    session.wait_for("WRB");
    session.wait_settled();
    let before = session.bytes().len();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(session.bytes().len(), before);
}

#[test]
fn a_small_window_says_what_it_needs_and_a_larger_one_goes_on() {
    let mut session = play("keys.sda");
    session.wait_for("ready>");
    session.resize(60, 20);
    session.wait_for("needs 80 columns and 25 rows");
    session.send("j");
    session.wait_settled();
    assert!(!session.text().contains("106/0"), "drawing is paused");
    session.resize(80, 25);
    session.wait_for("ready> 106/0");
    session.wait_without("needs 80 columns");
}

#[test]
fn a_large_window_has_the_picture_in_its_middle() {
    let session = play_with("keys.sda", (100, 31), &[("COLORTERM", "truecolor")]);
    session.wait_for("ready>");
    let row = session.screen(|screen| screen.rows(0, 100).nth(3).unwrap());
    assert_eq!(row.trim_end(), format!("{:10}ready>", ""));
    session.resize(80, 25);
    session
        .wait_until("the picture fills the window", |session| session.text().starts_with("ready>"));
}

#[test]
fn a_tiny_window_is_no_reason_to_die() {
    let mut session = play_with("keys.sda", (1, 1), &[]);
    session.wait_settled();
    session.resize(300, 100);
    session.wait_for("ready>");
    session.send("q");
    assert_eq!(session.wait_exit(), 7);
    session.assert_restored();
}

#[test]
fn every_mode_is_shown_or_says_what_it_needs() {
    let mut session = play("modes.sda");
    session.send("1");
    // 40 by 25, in the middle.
    session.wait_until("mode 1 is shown", |session| {
        session.text().starts_with(&format!("{:20}mode set\n", ""))
    });
    session.send("6");
    session.wait_for("needs 80 columns and 50 rows");
    session.send("4");
    session.wait_for("graphics, 256 by 224 pixels");
    session.send("2");
    session.wait_until("mode 2 is shown", |session| session.text().starts_with("mode set\n"));
}
