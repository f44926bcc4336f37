//! No service panics, hangs, or touches a register or flag it doesn't name,
//! whatever is in registers and memory.

mod harness;

use harness::Fixture;
use isa::{Reg, WORDS, flags};
use proptest::prelude::*;
use sd8516::{Input, Stop};

/// Vector, function, and the words that a success may change beside AL.
const SERVICES: [(u8, u8, &str); 66] = [
    (0x03, 0x01, ""),
    (0x05, 0x62, "B"),
    (0x05, 0x64, ""),
    (0x05, 0x66, ""),
    (0x10, 0x00, ""),
    (0x10, 0x01, ""),
    (0x10, 0x02, "AB"),
    (0x10, 0x03, "A"),
    (0x10, 0x04, "A"),
    (0x10, 0x05, ""),
    (0x10, 0x06, "XY"),
    (0x10, 0x0E, ""),
    (0x10, 0x0F, "A"),
    (0x10, 0x10, ""),
    (0x10, 0x11, ""),
    (0x10, 0x12, ""),
    (0x10, 0x13, ""),
    (0x10, 0x16, "BC"),
    (0x10, 0x18, ""),
    (0x10, 0x19, ""),
    (0x10, 0x1A, ""),
    (0x10, 0x1B, ""),
    (0x10, 0x1C, ""),
    (0x10, 0x1D, ""),
    (0x10, 0x1E, "B"),
    (0x11, 0x00, ""),
    (0x11, 0x01, ""),
    (0x11, 0x02, ""),
    (0x11, 0x03, ""),
    (0x11, 0x04, "B"),
    (0x12, 0x00, "B"),
    (0x12, 0x01, ""),
    (0x12, 0x02, ""),
    (0x12, 0x03, ""),
    (0x12, 0x04, "AB"),
    (0x12, 0x05, ""),
    (0x12, 0x06, ""),
    (0x13, 0x00, "AB"),
    (0x13, 0x01, "BC"),
    (0x13, 0x02, "B"),
    (0x13, 0x03, "B"),
    (0x13, 0x04, ""),
    (0x14, 0x00, ""),
    (0x14, 0x01, ""),
    (0x14, 0x02, ""),
    (0x14, 0x03, "AB"),
    (0x15, 0x01, "AB"),
    (0x15, 0x02, ""),
    (0x15, 0x03, ""),
    (0x15, 0x04, ""),
    (0x15, 0x05, "AB"),
    (0x15, 0x06, ""),
    (0x15, 0x07, ""),
    (0x18, 0x00, ""),
    (0x18, 0x01, ""),
    (0x18, 0x02, ""),
    (0x18, 0x03, ""),
    (0x18, 0x04, ""),
    (0x18, 0x05, ""),
    (0x18, 0x06, "BC"),
    (0x20, 0x01, ""),
    (0x20, 0x02, "FD"),
    (0x20, 0x03, ""),
    (0x21, 0x00, ""),
    (0x10, 0x08, ""),
    (0x15, 0x08, ""),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn services_keep_to_what_they_name(
        service in prop::sample::select(SERVICES.to_vec()),
        words in prop::array::uniform16(any::<u16>()),
        low in any::<bool>(),
        pattern in prop::collection::vec(any::<u8>(), 1..64),
        keys in prop::collection::vec(any::<u8>(), 0..40),
        mode in prop::sample::select(vec![1u8, 2, 3, 4, 6, 8]),
        start_flags in any::<u16>(),
    ) {
        let (vector, function, results) = service;
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
        let compares = [(0x12, 0x02), (0x14, 0x02)].contains(&(vector, function));
        let touchable = if compares { flags::C | flags::Z } else { flags::C };
        prop_assert_eq!(fixture.machine.flags() & !touchable, start_flags & !touchable);
        for (n, name) in WORDS.iter().enumerate() {
            if carry && !compares && *name == "A" {
                prop_assert_eq!(after[n] & 0xFF00, before[n] & 0xFF00);
                prop_assert!(after[n] & 0xFF != 0);
                continue;
            }
            let escaped = vector == 0x10 && function == 0x1E;
            if results.contains(name) && (!carry || escaped) {
                continue;
            }
            prop_assert_eq!(after[n], before[n], "{} after INT ${:02X} ${:02X}", name, vector, function);
        }
    }
}
