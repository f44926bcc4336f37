//! What the player does in the village: a pie from Edna, something to hit with and
//! something to wear from the shops, a bed.

use isa::keys::code;

use crate::map::{Square, apart, around};
use crate::player::{Player, VILLAGE};
use crate::screen::{Asked, Entry};
use crate::things;

/// Where everybody says that these are.
const KEEPERS: [Square; 4] = [(25, 21), (35, 21), (45, 21), (55, 21)];
const COUNTERS: [Square; 4] = [(26, 21), (36, 21), (46, 21), (56, 21)];
const EDNA: Square = (24, 14);
const BED: Square = (28, 10);
const WELL: Square = (4, 28);
/// Turns that an errand may take.
const PATIENCE: u32 = 400;
/// Provisions for a journey down, and the most that is carried.
const JOURNEY: u32 = 5200;

/// Potions of healing that are carried.
const REMEDIES: u32 = 12;

/// Something to do in the village.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errand {
    /// Ask Edna for a pie.
    Pie,
    /// Buy and sell.
    Shop(Shop),
    /// Sleep until healed.
    Bed,
}

/// The four shops, from west to east.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shop {
    /// Everything.
    General,
    /// Armour.
    Armour,
    /// Weapons.
    Weapons,
    /// Food.
    Food,
}

/// Something that a shop has.
#[derive(Clone, Debug)]
pub struct Ware {
    shop: Shop,
    name: String,
    price: u32,
}

impl Player<'_> {
    /// What is to be done now that the player is in the village.
    pub(crate) fn plan_errands(&mut self) {
        self.errands.clear();
        self.homeward = false;
        if self.style.careless || self.has_sunsword() {
            return;
        }
        if self.status.depth == 0 && self.wares.is_empty() {
            self.errands.extend([
                Errand::Shop(Shop::Weapons),
                Errand::Shop(Shop::Armour),
                Errand::Pie,
            ]);
            return;
        }
        if self.provisions() < 1500 {
            self.errands.push_back(Errand::Shop(Shop::Food));
        }
        self.errands
            .extend([Shop::Armour, Shop::Weapons, Shop::Food, Shop::General].map(Errand::Shop));
        if self.status.hp < self.status.hp_max {
            self.errands.push_back(Errand::Bed);
        }
    }

    /// Goes about the next errand. False: there is none.
    pub(crate) fn do_errand(&mut self) -> bool {
        if self.status.place != VILLAGE {
            return false;
        }
        let Some(&errand) = self.errands.front() else { return false };
        let deed = format!("errand {errand:?} {}", self.came);
        let going = self.try_times(&deed, PATIENCE, |player| {
            let done = match errand {
                Errand::Pie => player.ask_for_pie(),
                Errand::Shop(shop) => player.visit(shop),
                Errand::Bed => player.sleep(),
            };
            if done {
                player.errands.pop_front();
            }
        });
        if !going {
            self.errands.pop_front();
        }
        true
    }

    /// A step towards a square of the village. True: there.
    pub(crate) fn walk_to(&mut self, to: Square) -> bool {
        if self.is_at_well() {
            self.map.place_player(WELL);
        }
        let Some(to) = self.map.known_square(to) else { return true };
        let here = self.map.player();
        if here == to {
            return true;
        }
        let ways = self.map.ways(&[], false);
        let step = ways.first_step(to).or_else(|| {
            let frontiers = ways.reached().filter(|&at| self.map.is_frontier(at));
            let best = frontiers.min_by_key(|&at| {
                let steps = ways.distance(at).unwrap_or(u32::MAX) as i32;
                (steps.saturating_add(2 * apart(at, to)), at)
            });
            best.and_then(|at| ways.first_step(at))
        });
        match step {
            Some((at, key)) => self.step(at, key),
            None => {
                if self.is_at_well() {
                    self.map = self.new_map(); // what was known is wrong
                }
                self.press(b'.');
            }
        }
        false
    }

    fn is_at_well(&self) -> bool {
        self.status.place == VILLAGE && self.stairs_here() == Some(b'>')
    }

    fn ask_for_pie(&mut self) -> bool {
        let Some(home) = self.map.known_square(EDNA) else { return true };
        let here = self.map.player();
        let edna = self.map.beings().iter().find(|being| apart(being.at, home) <= 5);
        let Some(at) = edna.map(|being| being.at) else {
            return self.walk_to(EDNA) && {
                self.press(b'.');
                false
            };
        };
        if let Some((_, key)) = around(here).find(|&(square, _)| square == at) {
            for key in [b't', key, b'p', b'i', b'e', code::ENTER, code::ESCAPE] {
                self.press(key);
            }
            self.pack_stale = true;
            return true;
        }
        let ways = self.map.ways(&[at], false);
        match ways.first_step(at) {
            Some((to, key)) => self.step(to, key),
            None => drop(self.walk_to(EDNA)),
        }
        false
    }

    fn sleep(&mut self) -> bool {
        if self.status.hp >= self.status.hp_max || self.provisions() < 1200 {
            return true;
        }
        if !self.walk_to(BED) {
            return false;
        }
        let before = self.status.turns;
        self.press(b'a');
        self.report.rested += self.status.turns.saturating_sub(before);
        self.status.turns == before
    }

    /// Sells what isn't used, and buys what is better. True: done.
    fn visit(&mut self, shop: Shop) -> bool {
        if !self.walk_to(COUNTERS[shop as usize]) {
            return false;
        }
        let here = self.map.player();
        let keeper = self.map.known_square(KEEPERS[shop as usize]);
        let Some((_, key)) = around(here).find(|&(at, _)| Some(at) == keeper) else { return true };
        if shop == Shop::General || shop == Shop::Armour || shop == Shop::Weapons {
            self.sell(key);
        }
        self.look_at_wares(shop, key);
        if let Some(name) = self.wish(shop, self.status.gold) {
            let gold = self.status.gold;
            self.ask_keeper(key, b'b');
            self.choose_from_list(&name);
            self.leave_list();
            self.pack_stale = true;
            self.read_pack();
            while self.care_for_gear() {
                self.read_pack();
            }
            return self.status.gold == gold; // there may be more to buy
        }
        true
    }

    fn ask_keeper(&mut self, keeper: u8, what: u8) {
        self.press(b't');
        self.press(keeper);
        self.press(what);
    }

    fn sell(&mut self, keeper: u8) {
        for _ in 0..20 {
            self.read_pack();
            self.ask_keeper(keeper, b's');
            if self.asked() != Asked::Letter {
                return;
            }
            let junk = self.screen.entries().into_iter().find(|entry| self.is_junk(entry));
            let Some(junk) = junk else { return self.press(code::ESCAPE) };
            self.press(junk.letter);
            self.leave_list();
        }
    }

    /// The lists of a shop stay until they are left.
    fn leave_list(&mut self) {
        if self.asked() == Asked::Letter {
            self.press(code::ESCAPE);
        }
    }

    /// A weapon or a piece of armour that something better is in use for.
    pub(crate) fn is_junk(&self, entry: &Entry) -> bool {
        if entry.in_use {
            return false;
        }
        match entry.heading.as_str() {
            "Weapons" => things::weapon(&entry.name) <= self.best_weapon(),
            "Armour" => {
                things::armour(&entry.name).is_some_and(|(slot, worth)| worth <= self.worn_in(slot))
            }
            _ => false,
        }
    }

    fn look_at_wares(&mut self, shop: Shop, keeper: u8) {
        self.stock += 1;
        self.wares.retain(|ware| ware.shop != shop);
        self.ask_keeper(keeper, b'b');
        let mut page = Vec::new();
        for _ in 0..5 {
            if self.asked() != Asked::Letter {
                break;
            }
            let next = self.screen.entries();
            if next == page {
                break;
            }
            page = next;
            for entry in &page {
                let class = if entry.heading == "Potions" { "potion" } else { "scroll" };
                let price = entry.price.unwrap_or(0);
                let kind = things::by_price(class, price, self.status.intelligence);
                if let Some(kind) = kind.filter(|_| self.kind_of(&entry.name).is_none()) {
                    self.learned.insert(entry.name.clone(), kind);
                }
            }
            self.wares.extend(page.iter().filter_map(|entry| {
                entry.price.map(|price| Ware { shop, name: entry.name.clone(), price })
            }));
            if !self.screen.has_more_pages() {
                break;
            }
            self.press(b'>');
        }
        if self.asked() == Asked::Letter {
            self.press(code::ESCAPE);
        }
        if self.wares.is_empty() {
            self.wares.push(Ware { shop, name: String::new(), price: u32::MAX });
        }
    }

    /// What the player would buy in a shop for so much gold.
    fn wish(&self, shop: Shop, gold: u32) -> Option<String> {
        let wares = self.wares.iter().filter(|ware| ware.shop == shop && ware.price <= gold);
        let gains = wares.map(|ware| (self.gain(ware, gold), ware)).filter(|gain| gain.0 > 0.0);
        let best = gains.max_by(|one, other| one.0.total_cmp(&other.0));
        best.map(|(_, ware)| ware.name.clone())
    }

    /// What a thing would be worth to the player.
    fn gain(&self, ware: &Ware, gold: u32) -> f64 {
        match ware.shop {
            Shop::Weapons => self.weapon_gain(&ware.name),
            Shop::Armour => self.armour_gain(&ware.name),
            Shop::Food => {
                let short = self.provisions() < JOURNEY;
                let food = f64::from(things::food(&ware.name));
                let pie = ware.name.ends_with("pie") && gold >= ware.price + 100;
                if pie {
                    2.0 * food / f64::from(ware.price)
                } else if short {
                    food / f64::from(ware.price)
                } else {
                    0.0
                }
            }
            Shop::General => match self.kind_of(&ware.name) {
                Some("healing") if gold >= ware.price + 20 && self.remedies() < REMEDIES => 3.0,
                Some("town portal") if gold >= ware.price + 150 => 1.0,
                _ => self.weapon_gain(&ware.name) + self.armour_gain(&ware.name),
            },
        }
    }

    fn weapon_gain(&self, name: &str) -> f64 {
        let gain = f64::from(things::weapon(name)) - f64::from(self.best_weapon());
        if self.best_weapon() > 0 && gain < 2.0 { 0.0 } else { gain.max(0.0) * 2.0 }
    }

    fn armour_gain(&self, name: &str) -> f64 {
        things::armour(name).map_or(0.0, |(slot, worth)| {
            (f64::from(worth) - f64::from(self.owned_for(slot))).max(0.0)
        })
    }

    fn best_weapon(&self) -> u32 {
        let weapons = self.pack.iter().filter(|entry| entry.heading == "Weapons" && entry.in_use);
        weapons.map(|entry| things::weapon(&entry.name)).max().unwrap_or(0)
    }

    /// The best that there is for a slot, worn or not.
    fn owned_for(&self, slot: u8) -> u32 {
        let owned = self.pack.iter().filter_map(|entry| things::armour(&entry.name));
        owned.filter(|&(place, _)| place == slot).map(|(_, worth)| worth).max().unwrap_or(0)
    }

    pub(crate) fn worn_in(&self, slot: u8) -> u32 {
        let worn = self.pack.iter().filter(|entry| entry.heading == "Armour" && entry.in_use);
        let worth = worn.filter_map(|entry| things::armour(&entry.name));
        worth.filter(|&(place, _)| place == slot).map(|(_, worth)| worth).max().unwrap_or(0)
    }

    /// Is a way to the village worth it? Armour and weapons that the gold would buy
    /// count, and a bed for many wounds.
    pub(crate) fn wants_to_shop(&mut self) -> bool {
        if self.style.careless || self.has_sunsword() || self.status.depth == 0 {
            return false;
        }
        if self.provisions() < 900 + 150 * self.status.depth
            && self.status.gold + self.value_of_junk() >= 60
        {
            return true;
        }
        let now = (self.stock, self.status.gold, self.status.depth);
        match self.thought {
            Some((then, worth_it)) if then == now => worth_it,
            _ => {
                let worth_it = self.is_shopping_worth_it();
                self.thought = Some((now, worth_it));
                worth_it
            }
        }
    }

    fn is_shopping_worth_it(&self) -> bool {
        let mut gold = self.status.gold + self.value_of_junk();
        let mut gain = 0.0;
        let wares =
            self.wares.iter().filter(|ware| matches!(ware.shop, Shop::Armour | Shop::Weapons));
        let mut wares: Vec<(f64, &Ware)> =
            wares.map(|ware| (self.gain(ware, gold), ware)).collect();
        wares.sort_by(|one, other| other.0.total_cmp(&one.0));
        for (more, ware) in wares {
            if more > 0.0 && ware.price <= gold {
                gold -= ware.price;
                gain += more;
            }
        }
        let potion = self.wares.iter().find(|ware| self.kind_of(&ware.name) == Some("healing"));
        let potions = potion.map_or(0, |ware| gold / ware.price.max(1));
        let carried = self.remedies();
        gain += 4.0 * f64::from(potions.min(REMEDIES.saturating_sub(carried)));
        let far = f64::from(self.status.depth);
        gain >= 3.0 + 2.5 * far
    }

    /// Potions of healing in the pack.
    fn remedies(&self) -> u32 {
        let potions = self.pack.iter().filter(|entry| entry.heading == "Potions");
        potions.filter(|entry| self.kind_of(&entry.name) == Some("healing")).count() as u32
    }

    fn value_of_junk(&self) -> u32 {
        let junk = self.pack.iter().filter(|entry| self.is_junk(entry));
        junk.count() as u32 * 8
    }
}
