//! The player: looks at the screen, decides, presses keys. Knows of the game what
//! a person knows who has read its help and played it before, and nothing of its
//! memory.

use std::collections::{BTreeMap, VecDeque};

use isa::keys::code;

use crate::game::{Game, State};
use crate::map::Map;
use crate::report::{End, Report};
use crate::screen::{Asked, Entry, Screen, Status};
use crate::village::{Errand, Ware};

/// Decisions without a turn spent before refusals are forgotten, and before the
/// player gives up.
const PATIENCE: u32 = 25;
const DESPAIR: u32 = 120;

/// A level: its name, and its depth.
pub(crate) type Place = (String, u32);

/// What is chosen on the title screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Difficulty {
    /// For a first game.
    Easy,
    /// The game that the figures are about.
    #[default]
    Normal,
    /// For somebody who has won.
    Hard,
}

/// How somebody plays.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Walks into everything: never rests, waits or flees, drinks and reads at
    /// once, and takes the first stairs down.
    pub careless: bool,
    /// Turns after which the game is left.
    pub turns: u32,
    /// How hard the game is.
    pub difficulty: Difficulty,
}

/// Somebody playing one game.
#[derive(Clone)]
pub struct Player<'a> {
    pub(crate) game: Game<'a>,
    pub(crate) style: Style,
    pub(crate) screen: Screen,
    pub(crate) status: Status,
    pub(crate) map: Map,
    /// The map is what is on the screen.
    map_fresh: bool,
    pub(crate) pack: Vec<Entry>,
    /// Turns that the food in the pack is good for.
    pub(crate) food_carried: u32,
    pub(crate) pack_stale: bool,
    /// Grows whenever the pack is looked through or a shop's wares are.
    pub(crate) stock: u32,
    /// The stock in which there is nothing better to wield or wear.
    pub(crate) settled: Option<u32>,
    /// What was thought of a way to the village: stock, gold and depth then.
    pub(crate) thought: Option<((u32, u32, u32), bool)>,
    /// How often something was tried, so that nothing is tried forever.
    pub(crate) tries: BTreeMap<String, u32>,
    pub(crate) report: Report,
    /// Levels that were left, as they were.
    maps: BTreeMap<Place, Map>,
    /// Kinds that leave the player alone, by their look.
    pub(crate) peaceful: Vec<(u8, u8)>,
    pub(crate) target: Option<(u8, u8)>,
    pub(crate) place: Place,
    pub(crate) came: u32,
    answered: String,
    /// Turns until which things are not tried again.
    rest_after: u32,
    pub(crate) ignore_until: u32,
    pub(crate) waits: u32,
    pub(crate) chase: u32,
    idle: u32,
    /// What is still to be done in the village.
    pub(crate) errands: VecDeque<Errand>,
    /// What the shops had, when they were last seen.
    pub(crate) wares: Vec<Ware>,
    /// On the way to the village, to come back.
    pub(crate) homeward: bool,
    /// The level that was fled from, and what a fight there would have cost.
    pub(crate) fled: Option<(Place, f64)>,
    /// Where somebody stood who could be struck, for when nothing can be seen.
    pub(crate) struck: Option<u8>,
    /// What unknown potions and scrolls are, going by their prices.
    pub(crate) learned: BTreeMap<String, &'static str>,
    /// What had been said when nothing could be seen before.
    pub(crate) groped: String,
    end: Option<End>,
}

impl<'a> Player<'a> {
    /// Sits down before the title screen.
    pub fn new(game: Game<'a>, seed: u32, style: Style) -> Player<'a> {
        let screen = game.screen();
        Player {
            map: Map::new(&screen),
            map_fresh: false,
            status: Status::default(),
            screen,
            game,
            style,
            pack: Vec::new(),
            food_carried: 0,
            pack_stale: false,
            stock: 0,
            settled: None,
            thought: None,
            tries: BTreeMap::new(),
            report: Report::new(seed),
            maps: BTreeMap::new(),
            peaceful: Vec::new(),
            target: None,
            place: (String::new(), 0),
            came: 0,
            answered: String::new(),
            rest_after: 0,
            ignore_until: 0,
            waits: 0,
            chase: 0,
            idle: 0,
            errands: VecDeque::new(),
            wares: Vec::new(),
            homeward: false,
            fled: None,
            struck: None,
            learned: BTreeMap::new(),
            groped: String::new(),
            end: None,
        }
    }

    /// Plays to the end.
    pub fn play(self) -> Report {
        self.play_and_leave().0
    }

    /// Plays to the end, and leaves the game to somebody else: after
    /// [`End::Turns`] it goes on.
    pub fn play_and_leave(mut self) -> (Report, Game<'a>) {
        while !self.has_ended() {
            self.go_on();
        }
        (self.report(), self.game)
    }

    /// Is the game over, or left?
    pub(crate) fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    /// One decision.
    pub(crate) fn go_on(&mut self) {
        let before = (self.status.turns, self.status.place.clone());
        self.act();
        let spent = before != (self.status.turns, self.status.place.clone());
        self.idle = if spent { 0 } else { self.idle + 1 };
        if self.idle == PATIENCE {
            self.map.forgive();
            self.ignore_until = self.status.turns + 20;
            self.press(b'.');
        }
        if self.idle > DESPAIR {
            self.give_up();
        }
        if self.status.turns >= self.style.turns {
            self.end.get_or_insert(End::Turns);
        }
    }

    /// How the game went.
    pub(crate) fn into_report(mut self) -> Report {
        self.report()
    }

    fn report(&mut self) -> Report {
        self.report.screen = self.screen.rows();
        self.report.keys = self.game.keys();
        self.report.food = self.pack.iter().filter(|entry| entry.heading == "Food").count();
        self.report.end = self.end.clone().unwrap_or(End::Stuck);
        self.report.clone()
    }

    /// Waits so many turns, so that everything after it comes differently.
    pub(crate) fn dither(&mut self, turns: u32) {
        for _ in 0..turns {
            if self.asked() == Asked::Command {
                self.press(b's');
            }
        }
    }

    /// How far the game has come: levels down, the sword, levels up; and experience.
    pub(crate) fn progress(&self) -> (u32, u32) {
        let bottom = self.report.depth;
        let way = if self.has_sunsword() { 100 + bottom - self.status.depth } else { bottom };
        (way, self.status.xp)
    }

    /// Is this a moment that a game can be gone on with?
    pub(crate) fn is_well(&self) -> bool {
        self.status.hp * 2 >= self.status.hp_max
            && !self.status.is("Blind")
            && self.enemies().is_empty()
    }

    pub(crate) fn give_up(&mut self) {
        self.end.get_or_insert(End::Stuck);
    }

    /// One key, and whatever the game wants to be read before it goes on.
    pub(crate) fn press(&mut self, key: u8) {
        let before = self.status.clone();
        let mut key = key;
        loop {
            self.game.press(key);
            self.look(&before);
            if self.end.is_some() {
                return;
            }
            key = match self.asked() {
                Asked::More => code::SPACE,
                Asked::AnyKey if self.screen.page_title() == "THE END" => {
                    self.read_tombstone();
                    code::ESCAPE
                }
                Asked::AnyKey if self.screen.page_title() == "THE TEN BEST GAMES" => code::ESCAPE,
                Asked::Stat => {
                    self.answered = self.screen.said().to_owned();
                    b'd' // three points of every blow
                }
                _ => return,
            };
        }
    }

    /// Looks at the screen after a key.
    fn look(&mut self, before: &Status) {
        match self.game.state() {
            State::Waits => {}
            State::Over => {
                self.end.get_or_insert(self.report.end.clone());
                return;
            }
            State::Fault(what) => {
                self.end.get_or_insert(End::Fault(what.clone()));
                return;
            }
        }
        self.screen = self.game.screen();
        self.map_fresh = false;
        if self.asked() == Asked::Title {
            return;
        }
        if self.report.broken_frame.is_none() && !self.screen.is_framed() {
            self.report.broken_frame = Some(self.game.keys());
        }
        self.status = self.screen.status();
        let units = self.game.last_units();
        if (&self.status.place, self.status.depth) != (&before.place, before.depth) {
            self.report.stairs_units = self.report.stairs_units.max(units);
        } else if self.status.turns == before.turns + 1
            && units > self.report.turn_units
            && self.screen.page_title() != "THE END"
        {
            self.report.turn_units = units;
            self.report.slow_keys = self.game.key_count();
        }
        self.report.note(&self.status);
        if self.screen.last_said().contains("escaped the dungeons") {
            self.report.end = End::Won;
        }
    }

    /// What is asked; a question about strength stands on the screen until
    /// something else is said.
    pub(crate) fn asked(&self) -> Asked {
        match self.screen.asked() {
            Asked::Stat if self.screen.said() == self.answered => Asked::Command,
            asked => asked,
        }
    }

    fn read_tombstone(&mut self) {
        let lines = self.screen.page_lines();
        let carved = |row: usize| {
            let line = lines.get(row - 3).map_or("", |line| line);
            line.trim_matches(|letter| letter == '|' || letter == ' ').to_owned()
        };
        if self.report.end != End::Won {
            let cause = carved(11);
            let cause = cause.trim_start_matches("a ").trim_start_matches("an ").to_owned();
            self.report.end = End::Died { cause };
        }
    }

    fn act(&mut self) {
        match self.asked() {
            Asked::Title => {
                // From normal to hard, and on to easy.
                let presses = match self.style.difficulty {
                    Difficulty::Normal => 0,
                    Difficulty::Hard => 1,
                    Difficulty::Easy => 2,
                };
                (0..presses).for_each(|_| self.press(b'd'));
                self.press(b'n');
                self.press(code::ENTER);
            }
            Asked::Attack if self.style.careless => self.press(b'y'),
            Asked::Attack => {
                self.peaceful.extend(self.target);
                self.press(code::ESCAPE);
            }
            Asked::Command | Asked::Stat => self.command(),
            Asked::More => self.press(code::SPACE),
            Asked::AnyKey | Asked::Letter | Asked::Slot => self.press(code::ESCAPE),
        }
    }

    /// Brings the map up to date; a new place is a new map.
    pub(crate) fn update_map(&mut self) {
        if self.map_fresh || self.asked() != Asked::Command {
            return;
        }
        self.map_fresh = true;
        let place = (self.status.place.clone(), self.status.depth);
        if place != self.place {
            self.change_place(place);
        } else if !self.map.update(&self.screen) {
            self.map = self.new_map();
        }
    }

    /// Another level: what is known of it, or a new map.
    fn change_place(&mut self, place: Place) {
        let known = self.maps.remove(&place).and_then(|mut map| {
            map.come_back(&self.screen).then_some(map) //
        });
        let map = known.unwrap_or_else(|| self.new_map());
        let left = std::mem::replace(&mut self.map, map);
        let before = std::mem::replace(&mut self.place, place);
        self.maps.insert(before, left);
        self.came = self.status.turns;
        self.chase = 0;
        if self.status.place == VILLAGE {
            self.plan_errands();
        }
    }

    pub(crate) fn new_map(&self) -> Map {
        let mut map = Map::new(&self.screen);
        if let Some(at) = self.screen.player().and_then(|cell| known_square(&self.status, cell)) {
            map.place_player(at);
        }
        map
    }

    fn command(&mut self) {
        self.update_map();
        if self.pack_stale {
            return self.read_pack();
        }
        if self.status.is("Blind") && !self.style.careless {
            return self.grope();
        }
        let enemies = self.enemies();
        if !enemies.is_empty() && self.status.turns >= self.ignore_until && self.fight(&enemies) {
            return;
        }
        if enemies.is_empty() {
            self.waits = 0;
            if self.status.hp * 10 >= self.status.hp_max * 8 {
                self.fled = None;
            }
        }
        let safe = enemies.is_empty() || self.style.careless;
        if safe && (self.care_for_body() || self.care_for_gear()) {
            return;
        }
        if self.do_errand() || safe && self.rest() {
            return;
        }
        self.travel();
    }

    /// The staircase under the player's feet, as the key that takes it.
    pub(crate) fn stairs_here(&self) -> Option<u8> {
        let glyph = self.map.glyph(self.map.player());
        (glyph == b'>' || glyph == b'<').then_some(glyph)
    }

    /// Rests while wounded, as long as there is something to live on.
    fn rest(&mut self) -> bool {
        let wounded = self.status.hp * 10 < self.status.hp_max * 7;
        wounded && self.rest_now()
    }

    pub(crate) fn rest_now(&mut self) -> bool {
        let missing = self.status.hp_max.saturating_sub(self.status.hp);
        if self.style.careless || missing == 0 {
            return false;
        }
        if self.status.turns < self.rest_after {
            if self.fled.is_none() {
                return false;
            }
            self.press(b's'); // they are still there
            return true;
        }
        let bed = self.map.glyph(self.map.player()) == b'=';
        if self.provisions() < if bed || self.knows_bed() { IN_BED } else { ON_STRAW } {
            return false;
        }
        if let Some((to, key)) = self.step_to_bed_above(missing) {
            self.step(to, key);
            return true;
        }
        if let Some((to, key)) = self.step_to_rest(missing) {
            self.step(to, key);
            return true;
        }
        if missing >= 12 && !bed && !self.status.is("Full") && self.eat_kind("Edna's pie") {
            return true;
        }
        let turns = self.status.turns;
        self.press(b'z');
        if self.status.turns <= turns + 1 {
            self.rest_after = turns + 20;
        }
        self.report.rested += self.status.turns.saturating_sub(turns);
        true
    }

    /// Is there a bed on this level that was seen?
    fn knows_bed(&self) -> bool {
        self.status.place != CASTLE && self.map.find(b'=').next().is_some()
    }

    /// To the bed of the level above, when this one has none. Up from the first two
    /// there is the one in the village.
    fn step_to_bed_above(&mut self, missing: u32) -> Option<((i32, i32), u8)> {
        let depth = self.status.depth;
        if missing < WORTH_A_BED || depth == 0 || self.knows_bed() {
            return None;
        }
        let above = self.maps.iter().any(|((place, there), map)| {
            there + 1 == depth && (depth <= 2 || place != CASTLE && map.find(b'=').next().is_some())
        });
        if !above {
            return None;
        }
        let here = self.map.player();
        if self.map.glyph(here) == b'<' {
            return Some((here, b'<'));
        }
        let ways = self.map.ways(&[], false);
        let stairs = self.map.find(b'<');
        let near = stairs.filter_map(|at| ways.distance(at).map(|steps| (steps, at))).min();
        near.filter(|&(steps, _)| steps <= missing * 20).and_then(|(_, at)| ways.first_step(at))
    }

    /// In a bed a wound mends ten times as well; elsewhere one rests where one can
    /// leave.
    pub(crate) fn step_to_rest(&self, missing: u32) -> Option<((i32, i32), u8)> {
        const WORTH_IT: u32 = 50;
        if self.status.depth == 0 {
            return None;
        }
        let ways = self.map.ways(&[], false);
        let here = self.map.player();
        let nearest = |squares: &mut dyn Iterator<Item = (i32, i32)>, most: u32| {
            let near = squares.filter_map(|at| ways.distance(at).map(|steps| (steps, at))).min();
            near.filter(|&(steps, _)| steps <= most)
        };
        let is_bed = |at: (i32, i32)| self.status.place != CASTLE && self.map.glyph(at) == b'=';
        if is_bed(here) {
            return None;
        }
        let bed = nearest(&mut self.map.find(b'=').filter(|&at| is_bed(at)), missing * 30);
        if let Some((_, at)) = bed {
            return ways.first_step(at);
        }
        if self.stairs_here().is_some() {
            return None;
        }
        let mut stairs = self.map.find(b'<').chain(self.map.find(b'>'));
        nearest(&mut stairs, WORTH_IT).and_then(|(_, at)| ways.first_step(at))
    }

    /// Turns that there is food for.
    pub(crate) fn provisions(&self) -> u32 {
        self.status.energy + self.food_carried
    }

    /// One step; a door on the way is opened first.
    pub(crate) fn step(&mut self, to: (i32, i32), key: u8) {
        let before = (self.status.turns, self.map.player(), self.status.place.clone());
        if self.map.glyph(to) == b'+' {
            self.press(b'o');
            self.press(key);
        } else {
            self.press(key);
        }
        self.update_map();
        let after = (self.status.turns, self.map.player(), self.status.place.clone());
        if before == after && self.asked() == Asked::Command {
            self.map.refuse(to);
        }
    }

    /// Does something that was not done under this name before.
    pub(crate) fn try_once(&mut self, name: &str, what: impl FnOnce(&mut Self)) -> bool {
        self.try_times(name, 1, what)
    }

    /// Does something that was done under this name less often than that.
    pub(crate) fn try_times(
        &mut self,
        name: &str,
        times: u32,
        what: impl FnOnce(&mut Self),
    ) -> bool {
        let tries = self.tries.entry(name.to_owned()).or_default();
        *tries += 1;
        if *tries > times {
            return false;
        }
        what(self);
        true
    }
}

/// Where a cell of the screen is on a level that everybody knows, for somebody who
/// has just come: the window stands in its corner then, or in the village at the
/// foot of the map.
fn known_square(status: &Status, (x, y): (usize, usize)) -> Option<(i32, i32)> {
    let (x, y) = (x as i32 - 1, y as i32 - 1);
    match status.place.as_str() {
        VILLAGE if y == WELL_ROW => Some((x, y + 7)),
        VILLAGE | CASTLE => Some((x, y)),
        _ => None,
    }
}

/// The row of the window that the village's well is in: there the map of 30 rows
/// has scrolled as far as it goes.
const WELL_ROW: i32 = 21;
/// The names of the village and of the castle.
pub(crate) const VILLAGE: &str = "Brynn";
pub(crate) const CASTLE: &str = "Croky Castle";
/// Provisions that a rest is worth, in a bed and out of it.
const IN_BED: u32 = 800;
const ON_STRAW: u32 = 1500;
/// Wounds that are worth the way to a bed on the level above.
const WORTH_A_BED: u32 = 8;
