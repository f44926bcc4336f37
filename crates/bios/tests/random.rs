//! No service panics, hangs, or touches a register or flag it doesn't name,
//! whatever is in registers and memory.

mod harness;

use harness::Fixture;
use isa::services::{Carry, Effect, SERVICES, Service};
use isa::{Reg, WORDS, flags};
use proptest::prelude::*;
use sd8516::{Input, Stop};

/// The bytes of A in the masks of [`Reg::halves`].
const AL: u32 = 1;
const AH: u32 = 2;

/// Those that neither end the program nor wait for thousands of frames, and
/// some that do not exist.
fn services() -> Vec<Service> {
    let none = |vector, function| Service { vector, function, reads: 0, results: 0, ..SERVICES[0] };
    let harmless =
        |one: &&Service| one.effect != Effect::Exits && (one.vector, one.function) != (0x10, 0x07);
    let listed = SERVICES.iter().filter(harmless).copied();
    listed.chain([none(0x21, 0), none(0x10, 0x08), none(0x15, 0x08)]).collect()
}

/// The words with the bytes of `halves` taken from `others`.
fn mixed(words: [u16; 16], others: [u16; 16], halves: u32) -> [u16; 16] {
    std::array::from_fn(|n| {
        let (low, high) = (halves >> (2 * n) & 1, halves >> (2 * n + 1) & 1);
        let mask = ((low * 0xFF) | (high * 0xFF00)) as u16;
        words[n] & !mask | others[n] & mask
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn services_keep_to_what_they_name(
        service in prop::sample::select(services()),
        others in prop::array::uniform16(any::<u16>()),
        words in prop::array::uniform16(any::<u16>()),
        low in any::<bool>(),
        pattern in prop::collection::vec(any::<u8>(), 1..64),
        keys in prop::collection::vec(any::<u8>(), 0..40),
        mode in prop::sample::select(vec![1u8, 2, 3, 4, 6, 8]),
        start_flags in any::<u16>(),
    ) {
        let Service { vector, function, results, .. } = service;
        let mut fixture = Fixture::new();
        fixture.set(&format!("A={mode:X}")).int(0x10);
        for at in (0x04_0000..0x06_0000).step_by(pattern.len()) {
            fixture.machine.memory_mut().copy_in(at, &pattern);
        }
        fixture.machine.set_input(Input::None);
        fixture.keys(&keys);
        for (name, &word) in WORDS.iter().zip(&words) {
            fixture.machine.set_reg(Reg::by_name(name).unwrap(), word.into());
        }
        fixture.machine.set_reg(Reg::by_name("AH").unwrap(), function.into());
        if low {
            // pointers into the pattern
            fixture.set("EL=4 FL=5 BL=4");
        }
        let start_flags = start_flags & flags::WRITABLE & !flags::I;
        fixture.machine.set_flags(start_flags);
        let before = fixture.machine.words();
        let mut scrambled = fixture.clone();
        let sp = fixture.machine.sp();
        let stop = fixture.int(vector);
        let after = fixture.machine.words();
        if stop == Some(Stop::KeysUsedUp) {
            prop_assert!(vector == 0x10 && [0x02, 0x1E].contains(&function));
            prop_assert_eq!(after, before);
            return Ok(());
        }
        prop_assert_eq!(stop, None);
        prop_assert_eq!(fixture.machine.sp(), sp);
        let carry = fixture.machine.flags() & flags::C != 0;
        let compares = service.carry == Carry::Compares;
        prop_assert!(!carry || service.carry != Carry::Clear);
        let touchable = if compares { flags::C | flags::Z } else { flags::C };
        prop_assert_eq!(fixture.machine.flags() & !touchable, start_flags & !touchable);
        let mut written = if carry { 0 } else { results };
        if carry && service.carry == Carry::Error {
            written |= AL;
        }
        if (vector, function) == (0x10, 0x1E) {
            written |= results; // escaped, B is the length all the same
        }
        prop_assert_eq!(after, mixed(before, after, written), "INT ${:02X} ${:02X}", vector, function);

        // What it does not read changes nothing.
        let unread = !(service.reads | AH);
        for (n, word) in mixed(before, others, unread).into_iter().enumerate() {
            scrambled.machine.set_reg(Reg::by_name(WORDS[n]).unwrap(), word.into());
        }
        prop_assert_eq!(scrambled.int(vector), None);
        prop_assert_eq!(scrambled.machine.flags(), fixture.machine.flags());
        prop_assert_eq!(scrambled.machine.units(), fixture.machine.units());
        let again = scrambled.machine.words();
        prop_assert_eq!(mixed(after, again, written), after, "INT ${:02X} ${:02X}", vector, function);
    }
}
