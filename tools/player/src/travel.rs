//! Where the player goes when nobody is in the way: to things, to where there is
//! more to see, and to the stairs.

use crate::map::{Square, Ways};
use crate::player::Player;

/// Turns after which a level is left, seen or not.
const LONG_ENOUGH: u32 = 2500;
/// Turns of searching a level for secret doors.
const SEARCHES: u32 = 400;
/// Turns of searching from one square.
const SEARCHES_HERE: u16 = 12;

impl Player<'_> {
    /// The next step of the way through the level.
    pub(crate) fn travel(&mut self) {
        let here = self.map.player();
        if self.map.thing_at(here) {
            return self.pick_up();
        }
        if self.status.is("Blind") && !self.style.careless {
            return self.press(b'.'); // nothing to be seen anyway
        }
        let home = self.has_sunsword();
        let stairs = if home { b'<' } else { b'>' };
        let ways = self.map.ways(&[], false);
        let goal = self.nearest(&ways, self.map.find(stairs));
        let hurry = home
            || self.style.careless
            || self.status.place == "Brynn"
            || self.status.turns > self.came + LONG_ENOUGH;
        if !(hurry && goal.is_some()) {
            if !self.style.careless
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
        if !home && self.status.hp * 10 < self.status.hp_max * 9 && self.rest_now() {
            return;
        }
        self.press(stairs);
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
        let frontiers = self.map.reached(ways).filter(|&at| self.map.is_frontier(at));
        let bias = if self.status.place == "Brynn" { 2 } else { 0 };
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
        let stairs = if self.has_sunsword() { b'<' } else { b'>' };
        if let Some(goal) = self.nearest(&risky, self.map.find(stairs)) {
            return self.go(&risky, goal);
        }
        let level = format!("search {} {}", self.status.place, self.status.depth);
        let searched = self.tries.get(&level).copied().unwrap_or(0);
        let promising = self.map.reached(ways).filter(|&at| self.map.walls_around(at) > 0);
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
