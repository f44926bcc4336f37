//! Where the player goes when nobody is in the way: to things, to where there is
//! more to see, and to the stairs.

use crate::fight::DEEP;
use crate::map::{Square, Ways};
use crate::player::{CASTLE, Player, VILLAGE};

/// Turns after which a level is left, seen or not.
const LONG_ENOUGH: u32 = 2500;
/// Turns of searching a level for secret doors.
const SEARCHES: u32 = 400;
/// Turns of searching from one square.
const SEARCHES_HERE: u16 = 12;

/// The level that is needed at a depth.
const NEEDED: [u32; 11] = [0, 0, 0, 0, 3, 4, 5, 6, 6, 6, 6];
/// Places in the castle that people tell of.
const FALSE_WALL: Square = (64, 7);
const BEFORE_WALL: Square = (63, 7);
const SWORD: Square = (68, 13);

impl Player<'_> {
    /// The next step of the way through the level.
    pub(crate) fn travel(&mut self) {
        let here = self.map.player();
        if self.map.thing_at(here) && self.status.place != VILLAGE {
            return self.pick_up();
        }
        if self.status.is("Blind") && !self.style.careless {
            return self.press(b'.'); // nothing to be seen anyway
        }
        let home = self.has_sunsword();
        self.homeward |= self.wants_to_shop();
        if !home && !self.style.careless && self.status.place == CASTLE {
            return self.seek_sword();
        }
        // A scroll brings nobody home: only who comes up the well has escaped.
        let up = (home || self.homeward) && self.status.place != VILLAGE;
        let stairs = if up { b'<' } else { b'>' };
        let ways = self.map.ways(&[], false);
        let goal = self.nearest(&ways, self.map.find(stairs));
        let hurry = home
            || self.homeward
            || self.style.careless
            || self.status.place == VILLAGE
            || self.status.depth >= DEEP
            || self.status.turns > self.came + LONG_ENOUGH;
        if !(hurry && goal.is_some()) {
            if !self.style.careless
                && self.status.place != VILLAGE
                && let Some(thing) = self.nearest(&ways, self.map.things())
            {
                return self.go(&ways, thing);
            }
            if let Some(frontier) = self.frontier(&ways) {
                return self.go(&ways, frontier);
            }
        }
        let Some(goal) = goal else { return self.look_for_a_way(&ways) };
        if goal != here {
            return self.go(&ways, goal);
        }
        let leaves = home || self.homeward || self.status.place == VILLAGE;
        if !leaves && self.status.hp * 10 < self.status.hp_max * 9 && self.rest_now() {
            return;
        }
        if !leaves && self.is_too_weak() {
            return self.lie_in_wait();
        }
        self.press(stairs);
    }

    /// Is what waits below stronger than the player, and is there food to grow on?
    pub(crate) fn is_too_weak(&self) -> bool {
        let below = self.status.depth as usize + 1;
        let needed = NEEDED.get(below).or(NEEDED.last()).copied().unwrap_or(0);
        !self.style.careless
            && self.status.level < needed
            && self.status.depth >= 3
            && self.provisions() > 1800 + 150 * self.status.depth
    }

    /// Lets them come, one by one, to a bed or to the stairs.
    fn lie_in_wait(&mut self) {
        if let Some((to, key)) = self.step_to_rest(100) {
            return self.step(to, key);
        }
        if self.status.hp < self.status.hp_max && self.rest_now() {
            return;
        }
        self.press(b's');
    }

    /// Father Monoly saw where it lies: behind a wall behind the throne room.
    fn seek_sword(&mut self) {
        let door = self.map.known_square(FALSE_WALL).map(|at| self.map.glyph(at));
        if matches!(door, Some(b'+' | b'/')) {
            if self.walk_to(SWORD) {
                self.pick_up();
            }
        } else if self.walk_to(BEFORE_WALL) {
            self.press(b's');
        }
    }

    fn nearest(&self, ways: &Ways, squares: impl Iterator<Item = Square>) -> Option<Square> {
        squares
            .filter_map(|at| ways.distance(at).map(|distance| (distance, at)))
            .min()
            .map(|(_, at)| at)
    }

    /// The best square to see more from. In the village everybody says that the
    /// well is down in the corner where the lane ends.
    fn frontier(&self, ways: &Ways) -> Option<Square> {
        let frontiers = ways.reached().filter(|&at| self.map.is_frontier(at));
        let bias = if self.status.place == VILLAGE { 2 } else { 0 };
        frontiers.min_by_key(|&at| {
            let distance = ways.distance(at).map_or(i32::MAX, |distance| distance as i32);
            (distance.saturating_add(bias * (at.0 - at.1)), at)
        })
    }

    fn go(&mut self, ways: &Ways, to: Square) {
        match ways.first_step(to) {
            Some((at, key)) => self.step(at, key),
            None => self.press(b'.'),
        }
    }

    /// There is no way on: over traps, by searching, or past the level's end.
    fn look_for_a_way(&mut self, ways: &Ways) {
        let risky = self.map.ways(&[], true);
        if let Some(frontier) = self.frontier(&risky) {
            return self.go(&risky, frontier);
        }
        let stairs = if self.has_sunsword() || self.homeward { b'<' } else { b'>' };
        if let Some(goal) = self.nearest(&risky, self.map.find(stairs)) {
            return self.go(&risky, goal);
        }
        let level = format!("search {} {}", self.status.place, self.status.depth);
        let searched = self.tries.get(&level).copied().unwrap_or(0);
        let promising = ways.reached().filter(|&at| self.map.walls_around(at) > 0);
        let best = promising.min_by_key(|&at| {
            let distance = ways.distance(at).unwrap_or(u32::MAX).min(1000);
            let walls = self.map.walls_around(at) as u32;
            let rounds = u32::from(self.map.searches(at) / SEARCHES_HERE);
            (distance + rounds * 200 + 8 * (8 - walls), at)
        });
        let Some(best) = best.filter(|_| searched < SEARCHES) else { return self.wait_for_a_way() };
        if best != self.map.player() {
            return self.go(ways, best);
        }
        let turns = self.status.turns;
        self.try_times(&level, SEARCHES, |player| {
            player.map.searched();
            player.press(b's');
        });
        if self.status.turns == turns {
            self.tries.insert(level, SEARCHES); // the game knows no searching
        }
    }

    /// Somebody may stand in the way; after a while nobody does.
    fn wait_for_a_way(&mut self) {
        let waited = format!("wait {} {}", self.status.place, self.status.depth);
        let still = self.try_times(&waited, 60, |player| {
            player.map.forgive();
            player.press(b'.');
        });
        if !still {
            self.give_up();
        }
    }
}
