//! What the player does about enemies: counts what a fight will cost, looks for a
//! place where few can reach it, and leaves while that is still possible.

use crate::foes::{self, Foe, odds};
use crate::map::{Being, Square, Ways, apart, around};
use crate::player::{Player, VILLAGE};
use crate::things;

/// Steps at which somebody is not yet a danger.
const FAR: u32 = 25;
/// Steps to a better place to stand.
const NEARBY: u32 = 6;
/// Depth from which on one enemy alone is dangerous.
const STRONG: u32 = 4;
/// Steps that are run to stairs.
const RUN: u32 = 90;
/// Depth from which on the stairs are worth more than a fight.
pub(crate) const DEEP: u32 = 7;
/// Turns an enemy is waited for.
const WAITS: u32 = 4;

/// An enemy who can come.
struct Threat {
    being: Being,
    steps: u32,
    /// Turns that it takes to kill.
    turns: f64,
    /// What it takes from the player in a turn.
    harm: f64,
    /// What one blow takes at most.
    most: u32,
    step: u32,
    /// It comes along when the player takes stairs now.
    follows: bool,
}

impl Player<'_> {
    /// Who means harm, the nearest first. Nobody in the village does.
    pub(crate) fn enemies(&self) -> Vec<Being> {
        let here = self.map.player();
        let peaceful = |being: &Being| {
            self.status.place == VILLAGE
                || self.peaceful.contains(&being.look)
                || !self.style.careless && foes::by_look(being.look).is_some_and(|foe| foe.peaceful)
        };
        let beings = self.map.beings().iter().copied();
        let mut enemies: Vec<Being> = beings.filter(|being| !peaceful(being)).collect();
        enemies.sort_by_key(|being| apart(here, being.at));
        enemies
    }

    /// Fights, flees or lets them come. False: nothing to be done about them.
    pub(crate) fn fight(&mut self, enemies: &[Being]) -> bool {
        if self.style.careless {
            return self.charge(enemies[0]);
        }
        let squares: Vec<Square> = enemies.iter().map(|being| being.at).collect();
        let to_them = self.map.ways(&squares, true);
        let mut threats: Vec<Threat> =
            enemies.iter().filter_map(|&being| self.threat(being, &to_them)).collect();
        threats.retain(|threat| threat.steps <= FAR);
        if threats.is_empty() {
            return false;
        }
        threats.sort_by(|one, other| one.turns.total_cmp(&other.turns));
        let here = self.map.player();
        if let Some((_, key)) = around(here).find(|(at, _)| squares.contains(at)) {
            self.struck = Some(key);
        }
        if self.slip_past(&threats) {
            return true;
        }
        let cost = self.cost(&threats, here);
        let adjacent: Vec<&Threat> = threats.iter().filter(|threat| threat.steps <= 1).collect();
        let hp = f64::from(self.status.hp);
        let blow = adjacent.iter().filter(|threat| threat.harm > 0.05).map(|threat| threat.most);
        if adjacent.is_empty() && threats.iter().all(|threat| threat.steps > 3) {
            self.fled = None;
        }
        let quarter = self.status.hp_max / 4;
        let panic = quarter.max(blow.max().unwrap_or(0).min(self.status.hp_max / 2));
        // On stairs one fights on: there is a way out, if it is one.
        let way_out = self.stairs_here().is_some() && self.is_way_out(&threats, cost);
        let last = adjacent.iter().map(|threat| threat.most).sum::<u32>();
        let losing = if way_out && !adjacent.is_empty() {
            self.status.hp <= last.min(self.status.hp_max / 2).max(self.status.hp_max / 3)
        } else {
            cost > hp * 0.8 || self.status.hp <= panic && cost > hp * 0.25
        };
        let hurt = self.status.hp * 5 < self.status.hp_max * 2 || self.status.hp <= last;
        if hurt
            && !adjacent.is_empty()
            && cost > hp * 0.5
            && !way_out
            && self.take("Potions", b'q', "healing")
        {
            return true;
        }
        if losing && self.leave(&threats, &squares, cost) {
            return true;
        }
        // A fight that costs much is fought where it can be left.
        let costly = self.status.depth >= STRONG && cost > hp * 0.5;
        if costly && self.stairs_here().is_none() && self.run_to_stairs(&threats) {
            return true;
        }
        if adjacent.is_empty()
            && threats.len() > 1
            && cost > hp * 0.2
            && self.step_to_cover(&threats)
        {
            return true;
        }
        if let Some(weakest) = adjacent.first() {
            let being = weakest.being;
            self.chase = 0;
            return self.strike(being);
        }
        self.meet(&threats, &to_them)
    }

    /// The careless way: at the nearest.
    fn charge(&mut self, near: Being) -> bool {
        if apart(self.map.player(), near.at) == 1 {
            return self.strike(near);
        }
        self.approach_enemy(near)
    }

    /// Nothing can be seen: strikes where somebody was, or waits.
    pub(crate) fn grope(&mut self) {
        let said = self.screen.said();
        let news = said != self.groped;
        self.groped = said.to_owned();
        let said = self.screen.last_said();
        let attacked = ["bites you", "hits you", "claws you", "misses"];
        let attacked = news && attacked.iter().any(|words| said.contains(words));
        if self.status.hp * 2 < self.status.hp_max && self.take("Potions", b'q', "healing") {
            return;
        }
        if self.status.hp * 3 < self.status.hp_max
            && let Some(key) = self.stairs_here()
            && self.try_once(&format!("grope {}", self.status.turns), |player| player.press(key))
        {
            return;
        }
        match self.struck.filter(|_| attacked) {
            Some(key) => self.press(key),
            None => self.press(b's'),
        }
    }

    fn strike(&mut self, being: Being) -> bool {
        let step = around(self.map.player()).find(|&(at, _)| at == being.at);
        let Some((_, key)) = step else { return false };
        self.target = Some(being.look);
        self.press(key);
        true
    }

    /// Nobody who isn't faster can strike somebody who walks away: on the way home
    /// with the sword, and far down, the stairs are worth more than a fight.
    fn slip_past(&mut self, threats: &[Threat]) -> bool {
        let home = self.has_sunsword();
        let well = self.status.hp * 10 >= self.status.hp_max * 7 && self.fled.is_none();
        if !home && (self.status.depth < DEEP || self.is_too_weak() || !well) {
            return false;
        }
        let chased = threats.iter().any(|threat| {
            threat.steps <= 2 && threat.step < 1000 && threat.harm * threat.turns < self.reserve()
        });
        if chased {
            return false;
        }
        let stairs = if home { b'<' } else { b'>' };
        let ways = self.map.ways(&[], false);
        let goals = self.map.find(stairs);
        let near = goals.filter_map(|at| ways.distance(at).map(|steps| (steps, at))).min();
        match near {
            Some((0, _)) => {
                let deed = format!("slip {} {}", self.status.place, self.status.turns);
                self.try_once(&deed, |player| player.press(stairs))
            }
            Some((_, at)) => match ways.first_step(at) {
                Some((to, key)) => {
                    self.step(to, key);
                    true
                }
                None => false,
            },
            None => false,
        }
    }

    /// Hit points that a fight may cost.
    fn reserve(&self) -> f64 {
        f64::from(self.status.hp) * 0.5
    }

    /// They come, or the player goes to them.
    fn meet(&mut self, threats: &[Threat], to_them: &Ways) -> bool {
        let near = threats.iter().min_by_key(|threat| threat.steps);
        let Some(near) = near else { return false };
        let on_stairs = self.stairs_here().is_some() && self.status.depth >= STRONG;
        let patient = if on_stairs { 5 * WAITS } else { WAITS };
        if (near.steps == 2 || threats.len() > 1 || on_stairs) && self.waits < patient {
            self.waits += 1;
            self.press(b's'); // who comes last strikes first
            return true;
        }
        self.chase += 1;
        if self.chase > 60 {
            self.chase = 0;
            self.ignore_until = self.status.turns + 30;
            return false;
        }
        let being = near.being;
        let Some((to, key)) = to_them.first_step(being.at) else { return false };
        self.target = Some(being.look);
        self.step(to, key);
        true
    }

    fn approach_enemy(&mut self, near: Being) -> bool {
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

    fn threat(&self, being: Being, ways: &Ways) -> Option<Threat> {
        let steps = ways.distance(being.at)?;
        let unknown = Foe {
            look: being.look,
            level: self.status.depth.max(1),
            defence: 10 * self.status.depth,
            step: 1000,
            strike: 1000,
            mean: 3.0,
            most: 8,
            peaceful: false,
            stays: false,
        };
        let foe = foes::by_look(being.look).unwrap_or(&unknown);
        let hits = odds(self.attack(), foe.defence) * self.blow();
        Some(Threat {
            being,
            steps,
            turns: (foe.body() / hits.max(0.01)).max(1.0),
            harm: foe.harm(self.status.armour),
            most: foe.most,
            step: foe.step,
            follows: steps <= 1 && !foe.stays,
        })
    }

    /// The attack rating, as the rules make it.
    fn attack(&self) -> u32 {
        let status = &self.status;
        10 * (status.level + u32::from(status.wields)) + 3 * status.dexterity + status.strength
    }

    /// What a blow that lands takes, on average.
    fn blow(&self) -> f64 {
        let wielded = self.pack.iter().filter(|entry| entry.heading == "Weapons" && entry.in_use);
        let sides = wielded.map(|entry| things::weapon(&entry.name)).max().unwrap_or(0);
        if sides == 0 { 1.0 } else { f64::from(sides + 1) / 2.0 }
    }

    /// What a fight with all of them is going to take, on a square.
    fn cost(&self, threats: &[Threat], at: Square) -> f64 {
        let room = self.map.openings(at).max(1);
        let (mut cost, mut gone) = (0.0, 0.0);
        for (number, threat) in threats.iter().enumerate() {
            gone += threat.turns;
            // Where only some reach the player, the last ones wait their turn.
            let waits = if number >= room { gone - threat.turns } else { 0.0 };
            cost += threat.harm * (gone - waits);
        }
        cost
    }

    /// A square near by where fewer of them come at once.
    fn step_to_cover(&mut self, threats: &[Threat]) -> bool {
        let here = self.map.player();
        let ways = self.map.ways(&[], false);
        let open = self.map.openings(here);
        let reach = |at: Square, steps: u32| {
            threats.iter().all(|threat| apart(threat.being.at, at) > steps as i32)
        };
        let covers = ways.reached().filter_map(|at| {
            let steps = ways.distance(at).filter(|&steps| steps <= NEARBY)?;
            let openings = self.map.openings(at);
            (openings < open && openings <= 3 && reach(at, steps)).then_some((openings, steps, at))
        });
        let Some((_, steps, at)) = covers.min() else { return false };
        if steps == 0 {
            return false;
        }
        let Some((to, key)) = ways.first_step(at) else { return false };
        self.step(to, key);
        true
    }

    /// Do the stairs under the player's feet lead away from most of them? Who stands
    /// beside the player comes along, but not into the village.
    fn is_way_out(&self, threats: &[Threat], cost: f64) -> bool {
        if self.status.depth == 1 && self.stairs_here() == Some(b'<') {
            return true;
        }
        let after: f64 =
            threats.iter().filter(|threat| threat.follows).map(|foe| foe.harm * foe.turns).sum();
        after < cost * 0.5
    }

    /// Gets out of a fight that is being lost, if there is a way.
    fn leave(&mut self, threats: &[Threat], squares: &[Square], cost: f64) -> bool {
        let close = threats.iter().any(|threat| threat.steps <= 1);
        let way_out = self.is_way_out(threats, cost);
        if let Some(key) = self.stairs_here().filter(|&key| key != b'<' || self.status.depth > 0)
            && way_out
        {
            // Not back into something worse.
            let worse = self
                .fled
                .as_ref()
                .is_some_and(|(from, there)| *from != self.place && *there >= cost);
            let deed = format!("flee {key} {} {}", self.status.place, self.status.turns);
            let place = self.place.clone();
            if !worse && self.try_once(&deed, |player| player.press(key)) {
                self.fled = Some((place, cost));
                return true;
            }
        }
        if close && self.status.hp * 2 < self.status.hp_max && self.take("Potions", b'q', "healing")
        {
            return true;
        }
        if way_out && self.run_to_stairs(threats) {
            return true;
        }
        if close && self.desperate(cost) {
            return true;
        }
        if !close {
            return self.run_away(squares);
        }
        false
    }

    /// Scrolls and potions that may help, known ones first.
    fn desperate(&mut self, cost: f64) -> bool {
        let dire = f64::from(self.status.hp) < cost && self.status.hp * 2 < self.status.hp_max;
        dire && (self.take("Scrolls", b'r', "teleport")
            || self.take("Scrolls", b'r', "temporal suspension")
            || self.take("Scrolls", b'r', "town portal")
            || self.take("Potions", b'q', "speed")
            || self.take_unknown("Scrolls", b'r')
            || self.take_unknown("Potions", b'q'))
    }

    /// To stairs, when nobody stops the player on the way.
    fn run_to_stairs(&mut self, threats: &[Threat]) -> bool {
        let here = self.map.player();
        let ways = self.map.ways(&[], false);
        let up = self.map.find(b'<').filter(|_| self.status.depth > 0);
        let stairs = self.map.find(b'>').chain(up);
        let down = |at: Square| self.map.glyph(at) == b'>'; // where it only gets worse
        let safe = stairs.filter(|&at| at != here).filter_map(|at| {
            let steps = ways.distance(at).filter(|&steps| steps <= RUN)?;
            let cut_off = threats.iter().any(|threat| {
                apart(threat.being.at, at) as f64 * f64::from(threat.step) / 1000.0
                    < f64::from(steps) - 1.0
                    && threat.steps > 1
            });
            // Who is faster gets a blow now and then; who isn't, gets none.
            let harm: f64 = threats
                .iter()
                .map(|threat| {
                    let gain = (1000.0 / f64::from(threat.step.max(1)) - 1.0).max(0.0);
                    threat.harm * gain.min(1.0) * f64::from(steps)
                })
                .sum();
            (!cut_off && harm < f64::from(self.status.hp) * 0.7).then_some((down(at), steps, at))
        });
        let Some((_, _, at)) = safe.min() else { return false };
        let Some((to, key)) = ways.first_step(at) else { return false };
        self.step(to, key);
        true
    }

    /// Somewhere else, as long as they are not there yet.
    fn run_away(&mut self, squares: &[Square]) -> bool {
        let here = self.map.player();
        let ways = self.map.ways(&[], false);
        let far = |at: Square| squares.iter().map(|&foe| apart(foe, at)).min().unwrap_or(0);
        let best = around(here)
            .filter(|&(at, _)| ways.distance(at) == Some(1))
            .max_by_key(|&(at, _)| (far(at), self.map.openings(at)));
        let Some((to, key)) = best.filter(|&(at, _)| far(at) > far(here)) else { return false };
        let deed = format!("run away {} {}", self.status.place, self.status.turns / 50);
        self.try_times(&deed, 20, |player| player.step(to, key))
    }
}
