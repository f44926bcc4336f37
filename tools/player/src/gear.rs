//! What the player does with things: looks through the pack, eats, drinks and
//! reads, wields and wears the best of it.

use isa::keys::code;

use crate::player::{Player, VILLAGE};
use crate::screen::{Asked, Entry};
use crate::things;

/// Pages of a list that are turned at most.
const PAGES: usize = 5;
/// Hit points that the worst potion can't take.
const POISON_PROOF: u32 = 13;

impl Player<'_> {
    /// Opens the pack and remembers what is in it.
    pub(crate) fn read_pack(&mut self) {
        self.pack_stale = false;
        self.stock += 1;
        self.list_pack();
        self.food_carried = self.under("Food").map(|entry| things::food(&entry.name)).sum();
    }

    fn list_pack(&mut self) {
        self.pack.clear();
        self.press(b'i');
        if self.asked() != Asked::AnyKey {
            return;
        }
        let mut page = self.screen.entries();
        for _ in 0..PAGES {
            self.pack.extend(page.iter().cloned());
            if !self.screen.has_more_pages() {
                break;
            }
            self.press(b'>');
            let next = self.screen.entries();
            if next == page || self.asked() != Asked::AnyKey {
                break;
            }
            page = next;
        }
        if self.asked() == Asked::AnyKey {
            self.press(code::ESCAPE);
        }
    }

    /// Gives a command and chooses a thing by its name from the list that opens.
    fn choose(&mut self, command: u8, name: &str) {
        self.pack_stale = true;
        self.press(command);
        self.choose_from_list(name);
    }

    pub(crate) fn choose_from_list(&mut self, name: &str) {
        for _ in 0..PAGES {
            if self.asked() != Asked::Letter {
                return;
            }
            let entry = self.screen.entries().into_iter().find(|entry| entry.name == name);
            match entry {
                Some(entry) => return self.press(entry.letter),
                None if self.screen.has_more_pages() => self.press(b'>'),
                None => return self.press(code::ESCAPE),
            }
        }
        self.press(code::ESCAPE);
    }

    fn under<'a>(&'a self, heading: &'a str) -> impl Iterator<Item = &'a Entry> {
        self.pack.iter().filter(move |entry| entry.heading == heading)
    }

    /// Which kind a potion or scroll is, by its name or by its price in the shop.
    pub(crate) fn kind_of(&self, name: &str) -> Option<&'static str> {
        things::kind(name).or_else(|| self.learned.get(name).copied())
    }

    /// Uses up a thing of a known kind, if there is one.
    pub(crate) fn take(&mut self, heading: &str, command: u8, kind: &str) -> bool {
        let found = self.under(heading).find(|entry| self.kind_of(&entry.name) == Some(kind));
        let Some(name) = found.map(|entry| entry.name.clone()) else { return false };
        self.choose(command, &name);
        true
    }

    /// Tries out a thing that nobody knows yet, if there is one.
    pub(crate) fn take_unknown(&mut self, heading: &str, command: u8) -> bool {
        let found = self.under(heading).find(|entry| self.kind_of(&entry.name).is_none());
        let Some(name) = found.map(|entry| entry.name.clone()) else { return false };
        let deed = format!("try {name}");
        self.try_times(&deed, 3, |player| player.choose(command, &name))
    }

    /// Eats when hungry; drinks and reads what is unknown while it is safe.
    pub(crate) fn care_for_body(&mut self) -> bool {
        if self.is_hungry() {
            let foods = self.under("Food").map(|entry| entry.name.clone());
            let plain = |name: &String| name.ends_with("pie"); // which is kept for wounds
            let found = foods.min_by_key(|name| (plain(name), name.clone()));
            if let Some(name) = found {
                return self.eat(&name);
            }
            if self.take("Potions", b'q', "water") {
                return true;
            }
        }
        if self.status.hp * 2 < self.status.hp_max && self.take("Potions", b'q', "healing") {
            return true;
        }
        // Where nobody does harm, nothing that a potion does is dangerous but poison.
        let healthy = self.status.hp >= POISON_PROOF && self.status.place == VILLAGE;
        if (healthy || self.style.careless) && self.take_unknown("Potions", b'q') {
            return true;
        }
        self.take_unknown("Scrolls", b'r')
            || self.has_unknown() && self.take("Scrolls", b'r', "identify")
    }

    /// Eats a thing of that name, if there is one.
    pub(crate) fn eat_kind(&mut self, kind: &str) -> bool {
        let found = self.under("Food").find(|entry| entry.name.ends_with(kind));
        let Some(name) = found.map(|entry| entry.name.clone()) else { return false };
        self.eat(&name)
    }

    fn eat(&mut self, name: &str) -> bool {
        self.report.eaten += 1;
        self.choose(b'e', name);
        true
    }

    fn has_unknown(&self) -> bool {
        self.under("Potions").any(|entry| self.kind_of(&entry.name).is_none())
    }

    fn is_hungry(&self) -> bool {
        let hungry = self.status.is("Hungry") && !self.style.careless;
        hungry || ["Famished", "Weak", "Faint", "Starving"].iter().any(|word| self.status.is(word))
    }

    /// Wields and wears what is better than what is in use.
    pub(crate) fn care_for_gear(&mut self) -> bool {
        if self.settled == Some(self.stock) {
            return false;
        }
        let better = self.wield_better() || self.wear_better();
        self.settled = (!better).then_some(self.stock);
        better
    }

    fn wield_better(&mut self) -> bool {
        let rank = |entry: &Entry| things::weapon(&entry.name);
        let wielded = self.under("Weapons").filter(|entry| entry.in_use).map(rank).max();
        let spare = self.under("Weapons").filter(|entry| !entry.in_use && is_wanted(entry));
        let Some(best) = spare.max_by_key(|entry| rank(entry)).cloned() else { return false };
        if rank(&best) <= wielded.unwrap_or(0) {
            return false;
        }
        let deed = format!("wield {}", best.name);
        self.try_times(&deed, 2, |player| player.choose(b'E', &best.name))
    }

    fn wear_better(&mut self) -> bool {
        let worth = |entry: &Entry| things::armour(&entry.name).map_or(0, |(_, worth)| worth);
        let spare = self.under("Armour").filter(|entry| !entry.in_use && is_wanted(entry));
        let mut spare: Vec<Entry> = spare.cloned().collect();
        spare.sort_by_key(|entry| std::cmp::Reverse(worth(entry))); // the best one first
        for piece in spare {
            let Some((slot, worth)) = things::armour(&piece.name) else { continue };
            if self.worn_in(slot) >= worth {
                continue;
            }
            // What is in the slot comes off first; the next look puts this on.
            let deed = format!("wear {}", piece.name);
            if self.try_times(&deed, 4, |player| {
                player.pack_stale = true;
                player.press(b'w');
                player.press(slot);
                player.choose_from_list(&piece.name);
            }) {
                return true;
            }
        }
        false
    }

    /// Picks up what lies under the player's feet.
    pub(crate) fn pick_up(&mut self) {
        self.map.leave_lying(self.map.player());
        self.press(b',');
        if self.asked() == Asked::Letter {
            self.press(b',');
        }
        self.pack_stale = true;
    }

    /// Is the sword in the pack?
    pub(crate) fn has_sunsword(&self) -> bool {
        self.pack.iter().any(|entry| entry.name.ends_with("sunsword"))
    }
}

fn is_wanted(entry: &Entry) -> bool {
    !entry.name.starts_with("cursed")
}
