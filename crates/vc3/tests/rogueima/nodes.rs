//! After games of random keys, with things conjured and carried: every node is on
//! exactly one queue, linked both ways, and what is worn is in the pack.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::Path;

use super::Folder;

const GAME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/rogueima/rogueima.sda");

/// What the assembler knows of the game's names.
struct Names(BTreeMap<String, u32>);

impl Names {
    fn of_the_game() -> Names {
        let folder = Folder::new();
        folder.run(&["asm", GAME, "-o", "game.prg", "--sym", "game.json"]).ends_with(0);
        let json: serde_json::Value =
            serde_json::from_str(&folder.text("game.json")).expect("JSON");
        let symbols = json["symbols"].as_array().expect("symbols");
        let plain = symbols.iter().filter(|symbol| symbol["scope"] == "");
        Names(
            plain
                .filter_map(|symbol| {
                    let name = symbol["name"].as_str()?.to_owned();
                    Some((name, u32::try_from(symbol["value"].as_i64()?).ok()?))
                })
                .collect(),
        )
    }

    #[track_caller]
    fn get(&self, name: &str) -> u32 {
        *self.0.get(name).unwrap_or_else(|| panic!("no {name}"))
    }
}

/// Bank 3 after a game: objects and variables.
struct Bank(Vec<u8>);

impl Bank {
    fn after(seed: u32, keys: &str) -> Bank {
        let seed = seed.to_string();
        let args = ["run", GAME, "--headless", "--sanitize", "--seed", &seed, "--keys", keys];
        let rest = ["--max", "2000000000", "--dump", "$030000:$8000", "--", "-debug"];
        let out = Folder::new().run(&[&args[..], &rest].concat()).ends_with(0).out;
        let lines = out.lines().filter_map(|line| line.split_once(": "));
        let bytes = lines.flat_map(|(_, bytes)| bytes.split(' '));
        Bank(bytes.map(|byte| u8::from_str_radix(byte, 16).expect("a byte")).collect())
    }

    fn byte(&self, address: u32) -> u8 {
        self.0[address as usize - 0x3_0000]
    }

    fn pointer(&self, address: u32) -> u32 {
        (0..3).map(|i| u32::from(self.byte(address + i)) << (8 * i)).sum()
    }

    /// The nodes behind a head, both ways the same.
    fn queue(&self, head: u32) -> Vec<u32> {
        let mut nodes = Vec::new();
        let mut at = head;
        loop {
            let next = self.pointer(at);
            assert_eq!(self.pointer(next + 3), at, "the way back from ${next:06X}");
            if next == head {
                return nodes;
            }
            nodes.push(next);
            assert!(nodes.len() < 1000, "a ring without its head");
            at = next;
        }
    }
}

#[test]
fn every_node_is_on_exactly_one_queue() {
    assert!(Path::new(GAME).exists());
    let names = Names::of_the_game();
    let keys = ",,XXXXeqrEwwdDiaabbccddee.z\\GMG:sptzhjklyubn>>_> ";
    let (mut carried, mut worn) = (0, 0);
    for seed in 1..=12 {
        let mut state = seed;
        let mut typed = String::from("n<Enter>XXXXXXXX,,<Space><Space>Ea<Esc>wCa<Esc>wKa<Esc>");
        for _ in 0..400 {
            state = u32::wrapping_mul(state, 1_664_525).wrapping_add(1_013_904_223);
            typed.push(char::from(keys.as_bytes()[(state >> 16) as usize % keys.len()]));
        }
        let bank = Bank::after(seed, &typed);
        let (c, w) = check(&bank, &names);
        carried += c;
        worn += w;
    }
    assert!(carried > 20, "games in which things are carried: {carried}");
    assert!(worn > 4, "and worn: {worn}");
}

/// Checks one game; the answer is how many things are carried and worn.
fn check(bank: &Bank, names: &Names) -> (usize, usize) {
    let world = bank.queue(names.get("world_head"));
    let pack = bank.queue(names.get("pack_head"));
    let (size, count) = (names.get("OBJ.size"), names.get("OBJ_COUNT"));
    let array = names.get("object_array");
    let all: BTreeSet<u32> = (0..count).map(|i| array + i * size).collect();
    let queued: BTreeSet<u32> = world.iter().chain(&pack).copied().collect();
    assert_eq!(queued, all, "every node is queued");
    assert_eq!(world.len() + pack.len(), all.len(), "and none twice");
    let live = |node: &u32| bank.byte(node + names.get("OBJ.id")) != 0;
    assert!(pack.iter().all(live), "nothing free is carried");
    let first_free = world.iter().position(|node| !live(node)).unwrap_or(world.len());
    assert!(!world[first_free..].iter().any(live), "the free nodes are last");

    let slot_of = |node: &u32| u32::from(bank.byte(node + names.get("OBJ.slot")));
    let mut worn = 0;
    for slot in 0..names.get("SLOT_COUNT") {
        let node = bank.pointer(names.get("rack") + slot * names.get("RACK.size"));
        if node != 0 {
            assert!(pack.contains(&node), "what is worn is carried");
            assert_eq!(slot_of(&node), slot + 1, "and knows its slot");
            worn += 1;
        }
    }
    assert_eq!(pack.iter().filter(|node| slot_of(node) != 0).count(), worn, "nothing else does");
    assert!(world.iter().all(|node| slot_of(node) == 0 || !live(node)), "nor in the world");
    (pack.len(), worn)
}
