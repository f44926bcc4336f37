//! The player: looks at the screen, decides, presses keys. Knows of the game what
//! a person knows who has read its help and played it before, and nothing of its
//! memory.

use std::collections::BTreeMap;

use isa::keys::code;

use crate::game::{Game, State};
use crate::map::{Being, Map, apart, around};
use crate::report::{End, Report};
use crate::screen::{Asked, Entry, Screen, Status};

/// Decisions without a turn spent before refusals are forgotten, and before the
/// player gives up.
const PATIENCE: u32 = 25;
const DESPAIR: u32 = 120;

/// How somebody plays.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Walks into everything: never rests, waits or flees, drinks and reads at
    /// once, and takes the first stairs down.
    pub careless: bool,
    /// Turns after which the game is left.
    pub turns: u32,
}

/// Somebody playing one game.
pub struct Player<'a> {
    pub(crate) game: Game<'a>,
    pub(crate) style: Style,
    pub(crate) screen: Screen,
    pub(crate) status: Status,
    pub(crate) map: Map,
    pub(crate) pack: Vec<Entry>,
    pub(crate) pack_stale: bool,
    /// How often something was tried, so that nothing is tried forever.
    pub(crate) tries: BTreeMap<String, u32>,
    pub(crate) report: Report,
    /// Kinds that leave the player alone, by their look.
    peaceful: Vec<(u8, u8)>,
    target: Option<(u8, u8)>,
    place: (String, u32),
    pub(crate) came: u32,
    answered: String,
    /// Turns until which things are not tried again.
    rest_after: u32,
    ignore_until: u32,
    waits: u32,
    chase: u32,
    idle: u32,
    end: Option<End>,
}

impl<'a> Player<'a> {
    /// Sits down before the title screen.
    pub fn new(game: Game<'a>, seed: u32, style: Style) -> Player<'a> {
        let screen = game.screen();
        Player {
            map: Map::new(&screen),
            status: Status::default(),
            screen,
            game,
            style,
            pack: Vec::new(),
            pack_stale: false,
            tries: BTreeMap::new(),
            report: Report::new(seed),
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
        while self.end.is_none() {
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
        self.report.screen = self.screen.rows();
        self.report.keys = self.game.keys();
        self.report.food = self.pack.iter().filter(|entry| entry.heading == "Food").count();
        self.report.end = self.end.unwrap_or(End::Stuck);
        (self.report, self.game)
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
                    self.answered = self.screen.said();
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
        } else if self.status.turns == before.turns + 1 && units > self.report.turn_units {
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
        if self.asked() != Asked::Command {
            return;
        }
        let place = (self.status.place.clone(), self.status.depth);
        if place != self.place {
            self.map = Map::new(&self.screen);
            self.place = place;
            self.came = self.status.turns;
            self.chase = 0;
        } else if !self.map.update(&self.screen) {
            self.map = Map::new(&self.screen);
        }
    }

    fn command(&mut self) {
        self.update_map();
        if self.pack_stale {
            return self.read_pack();
        }
        let enemies = self.enemies();
        if !enemies.is_empty() && self.status.turns >= self.ignore_until && self.fight(&enemies) {
            return;
        }
        if enemies.is_empty() {
            self.waits = 0;
        }
        let safe = enemies.is_empty() || self.style.careless;
        if safe && (self.care_for_body() || self.care_for_gear() || self.rest()) {
            return;
        }
        self.travel();
    }

    /// Who means harm, the nearest first. Nobody in the village does.
    fn enemies(&self) -> Vec<Being> {
        let here = self.map.player();
        let beings = self.map.beings().iter().copied();
        let peaceful =
            |being: &Being| self.status.place == "Brynn" || self.peaceful.contains(&being.look);
        let mut enemies: Vec<Being> = beings.filter(|being| !peaceful(being)).collect();
        enemies.sort_by_key(|being| apart(here, being.at));
        enemies
    }

    /// Fights, flees or lets them come. False: nothing to be done about them.
    fn fight(&mut self, enemies: &[Being]) -> bool {
        let here = self.map.player();
        let near = enemies[0];
        let low = self.status.hp * 3 <= self.status.hp_max || self.status.hp <= 3;
        let close = apart(here, near.at) == 1;
        if low && !self.style.careless && self.escape(close) {
            return true;
        }
        if close {
            self.chase = 0;
            let step = around(here).find(|&(at, _)| at == near.at);
            if let Some((_, key)) = step {
                self.target = Some(near.look);
                self.press(key);
                return true;
            }
        }
        if !self.style.careless && apart(here, near.at) == 2 && self.waits < 3 {
            self.waits += 1;
            self.press(b'.'); // who comes last strikes first
            return true;
        }
        self.chase += 1;
        if self.chase > 60 {
            self.chase = 0;
            self.ignore_until = self.status.turns + 30;
            return false;
        }
        let ways = self.map.ways(&[near.at], false);
        let Some((to, key)) = ways.first_step(near.at) else { return false };
        self.target = Some(near.look);
        self.step(to, key);
        true
    }

    /// Gets out of a fight that is being lost, if there is a way.
    fn escape(&mut self, close: bool) -> bool {
        if self.take("Potions", b'q', "healing") {
            return true;
        }
        let here = self.map.player();
        let glyph_here = self.stairs_here();
        if let Some(key) = glyph_here.filter(|&key| key != b'<' || self.status.depth > 1) {
            return self.try_once(&format!("flee {key} {}", self.status.turns), |player| {
                player.press(key);
            });
        }
        if close
            && (self.take("Scrolls", b'r', "teleport")
                || self.take("Scrolls", b'r', "temporal suspension")
                || self.take("Scrolls", b'r', "town portal")
                || self.take("Potions", b'q', "speed")
                || self.take_unknown("Potions", b'q')
                || self.take_unknown("Scrolls", b'r'))
        {
            return true;
        }
        let ways = self.map.ways(&[], false);
        let stairs = self.map.find(b'>').chain(self.map.find(b'<'));
        let near = stairs.filter(|&at| at != here && ways.distance(at).is_some_and(|d| d <= 12));
        let near = near.min_by_key(|&at| ways.distance(at));
        if let Some((to, key)) = near.and_then(|at| ways.first_step(at)) {
            self.step(to, key);
            return true;
        }
        false
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
        let fed =
            self.status.energy > 1500 || self.pack.iter().any(|entry| entry.heading == "Food");
        if self.style.careless
            || !fed
            || self.status.hp >= self.status.hp_max
            || self.status.turns < self.rest_after
        {
            return false;
        }
        let turns = self.status.turns;
        self.press(b'z');
        if self.status.turns <= turns + 1 {
            self.rest_after = turns + 20;
        }
        self.report.rested += self.status.turns.saturating_sub(turns);
        true
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
