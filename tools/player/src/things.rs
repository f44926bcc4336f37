//! What a person learns of things from playing: which weapon cuts deepest, where
//! a piece of armour goes, what a potion is good for.

/// Weapons by what they do, the worst first.
const WEAPONS: [&str; 16] = [
    "dagger",
    "athame",
    "club",
    "quarterstaff",
    "hand axe",
    "short sword",
    "mace",
    "spear",
    "flail",
    "scimitar",
    "long sword",
    "morning star",
    "battle axe",
    "broadsword",
    "halberd",
    "sunsword",
];

/// Armour: its slot's letter on the page of slots, and what it adds.
const ARMOURS: [(&str, u8, u32); 8] = [
    ("leather armor", b'C', 10),
    ("chain mail", b'C', 25),
    ("field plate", b'C', 50),
    ("gloves", b'K', 4),
    ("boots", b'L', 3),
    ("helm", b'A', 6),
    ("shield", b'G', 8),
    ("cloak", b'D', 2),
];

/// Names that a potion or scroll has once its kind is known.
const KNOWN: [&str; 10] = [
    "healing",
    "poison",
    "blindness",
    "speed",
    "water",
    "identify",
    "teleport",
    "temporal suspension",
    "town portal",
    "remove curse",
];

/// How good a weapon is; 0 is a fist.
pub fn weapon(name: &str) -> usize {
    WEAPONS.iter().position(|weapon| name.ends_with(weapon)).map_or(0, |place| place + 1)
}

/// Slot and worth of a piece of armour.
pub fn armour(name: &str) -> Option<(u8, u32)> {
    let row = ARMOURS.iter().find(|(armour, ..)| name.ends_with(armour));
    row.map(|&(_, slot, worth)| (slot, worth))
}

/// Which kind a potion or scroll is, when its name says so.
pub fn kind(name: &str) -> Option<&'static str> {
    let of = name.split_once(" of ").map_or("", |(_, kind)| kind);
    KNOWN.into_iter().find(|&kind| kind == of)
}
