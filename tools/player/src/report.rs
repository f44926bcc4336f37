//! How games went: one report a game, and the tables over many of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::screen::Status;

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The last hit point went.
    Died {
        /// What the tombstone says.
        cause: String,
    },
    /// The sunsword is home.
    Won,
    /// The player found no way on.
    Stuck,
    /// The player was given no more turns.
    Turns,
    /// The machine stopped the game.
    Fault(String),
}

/// One game.
#[derive(Clone, Debug)]
pub struct Report {
    /// The seed it was played with.
    pub seed: u32,
    /// How it ended.
    pub end: End,
    /// The deepest depth.
    pub depth: u32,
    /// Where it ended.
    pub place: String,
    /// Turns.
    pub turns: u32,
    /// Of them, spent resting.
    pub rested: u32,
    /// Experience level and points.
    pub level: u32,
    /// Experience points.
    pub xp: u32,
    /// Energy left.
    pub energy: u32,
    /// Pieces of food left.
    pub food: usize,
    /// Meals.
    pub eaten: u32,
    /// Gold.
    pub gold: u32,
    /// The most units that one turn took.
    pub turn_units: u64,
    /// After how many keys that was.
    pub slow_keys: usize,
    /// The most units that a way to another place took.
    pub stairs_units: u64,
    /// The keys, as `vc3 run --keys` takes them.
    pub keys: String,
    /// The keys after which something had written over the screen's frame.
    pub broken_frame: Option<String>,
    /// The last screen.
    pub screen: String,
}

impl Report {
    /// A game that has not begun.
    pub fn new(seed: u32) -> Report {
        Report {
            seed,
            end: End::Stuck,
            depth: 0,
            place: String::new(),
            turns: 0,
            rested: 0,
            level: 0,
            xp: 0,
            energy: 0,
            food: 0,
            eaten: 0,
            gold: 0,
            turn_units: 0,
            slow_keys: 0,
            stairs_units: 0,
            keys: String::new(),
            broken_frame: None,
            screen: String::new(),
        }
    }

    /// Keeps what the status panel says.
    pub fn note(&mut self, status: &Status) {
        self.depth = self.depth.max(status.depth);
        self.place.clone_from(&status.place);
        self.turns = status.turns;
        self.level = status.level;
        self.xp = status.xp;
        self.energy = status.energy;
        self.gold = status.gold;
    }

    fn outcome(&self) -> String {
        match &self.end {
            End::Died { cause } => cause.clone(),
            End::Won => "(won)".to_owned(),
            End::Stuck => "(found no way on)".to_owned(),
            End::Turns => "(turns used up)".to_owned(),
            End::Fault(_) => "(fault)".to_owned(),
        }
    }
}

/// A figure of a game, for a row of the table.
type Figure = fn(&Report) -> u64;

/// The tables over many games, as Markdown.
pub fn tables(reports: &[Report]) -> String {
    let games = reports.len();
    let mut text = String::new();
    let _ = writeln!(text, "| {games} games | least | median | most |\n|---|---|---|---|");
    let rows: [(&str, Figure); 9] = [
        ("deepest depth", |report| report.depth.into()),
        ("turns", |report| report.turns.into()),
        ("of them resting", |report| report.rested.into()),
        ("experience level", |report| report.level.into()),
        ("experience points", |report| report.xp.into()),
        ("energy left", |report| report.energy.into()),
        ("food left", |report| report.food as u64),
        ("gold", |report| report.gold.into()),
        ("most units of a turn", |report| report.turn_units),
    ];
    for (name, value) in rows {
        let mut values: Vec<u64> = reports.iter().map(value).collect();
        values.sort_unstable();
        if let (Some(least), Some(most)) = (values.first(), values.last()) {
            let _ = writeln!(text, "| {name} | {least} | {} | {most} |", values[games / 2]);
        }
    }
    let units = reports.iter().map(|report| report.stairs_units).max().unwrap_or(0);
    let _ = writeln!(text, "| most units of a staircase | | | {units} |\n");
    depths(&mut text, reports);
    causes(&mut text, reports);
    if let Some(slow) = reports.iter().max_by_key(|report| report.turn_units) {
        let (seed, keys) = (slow.seed, slow.slow_keys);
        let _ = writeln!(text, "The slowest turn is key {keys} of seed {seed}.\n");
    }
    for report in reports {
        if let End::Fault(what) = &report.end {
            let _ = writeln!(text, "seed {}: {what}\n    --keys '{}'", report.seed, report.keys);
        }
        if let Some(keys) = &report.broken_frame {
            let _ =
                writeln!(text, "seed {}: the frame is broken\n    --keys '{keys}'", report.seed);
        }
    }
    text
}

/// How many games ended no deeper than each depth.
fn depths(text: &mut String, reports: &[Report]) {
    let _ = writeln!(text, "| deepest depth | games | died there or above |\n|---|---|---|");
    let deepest = reports.iter().map(|report| report.depth).max().unwrap_or(0);
    let mut before = 0;
    for depth in 0..=deepest {
        let here = reports.iter().filter(|report| report.depth == depth);
        let games = here.clone().count();
        let dead = here.filter(|report| matches!(report.end, End::Died { .. })).count();
        before += dead;
        let share = 100 * before / reports.len().max(1);
        let _ = writeln!(text, "| {depth} | {games} | {share} % |");
    }
    text.push('\n');
}

/// What ended them, the most frequent first.
fn causes(text: &mut String, reports: &[Report]) {
    let mut counted: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for report in reports {
        counted.entry(report.outcome()).or_default().push(report.seed);
    }
    let mut rows: Vec<_> = counted.into_iter().collect();
    rows.sort_by_key(|(cause, seeds)| (std::cmp::Reverse(seeds.len()), cause.clone()));
    let _ = writeln!(text, "| ended by | games | such as seed |\n|---|---|---|");
    for (cause, seeds) in rows {
        let _ = writeln!(text, "| {cause} | {} | {} |", seeds.len(), seeds[0]);
    }
    text.push('\n');
}
