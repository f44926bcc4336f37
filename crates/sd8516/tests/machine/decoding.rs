//! The CPU and the table's decoder agree on every byte sequence: what is an
//! instruction, how long it is, and why something is none.

use isa::DecodeError;
use sd8516::{FaultKind, Stop};

use crate::support::{Few, Numbers, ORIGIN, machine};

/// Operand bytes that are often registers.
fn operand_byte(numbers: &mut Numbers) -> u8 {
    match numbers.below(4) {
        0 => numbers.next() as u8,
        1 => 64 + numbers.below(32) as u8,
        2 => 16 + numbers.below(32) as u8,
        _ => numbers.below(56) as u8,
    }
}

#[test]
fn cpu_and_decoder_agree() {
    let mut numbers = Numbers(1);
    let mut fresh = machine(&[]);
    fresh.set_break_stops(true);
    for opcode in 0..=255u8 {
        let row = isa::by_opcode(opcode);
        let mut m = fresh.clone();
        for _ in 0..300 {
            let mut bytes = [0; 10];
            bytes.fill_with(|| operand_byte(&mut numbers));
            bytes[0] = opcode;
            m.memory_mut().copy_in(ORIGIN, &bytes);
            m.memory_mut().fill(0x01_E900, 0, 0x300);
            m.set_ip(ORIGIN);
            m.set_flags(0);
            m.set_reg(isa::Reg::SP, 0x01_DF00);
            let (words, sp) = (m.words(), m.sp());
            let stop = m.step(&mut Few::default());
            match (isa::decode(&bytes), stop) {
                (Err(error), Some(Stop::Fault(fault))) => {
                    let kind = match error {
                        DecodeError::Opcode(opcode) => FaultKind::IllegalOpcode(opcode),
                        DecodeError::Register(id) => FaultKind::IllegalRegister(id),
                        DecodeError::Width(reg) => FaultKind::IllegalWidth(reg.id()),
                        DecodeError::Truncated => panic!("{bytes:?} is truncated"),
                    };
                    assert_eq!(fault.kind, kind, "{bytes:?}");
                    assert_eq!((m.words(), m.sp(), m.ip()), (words, sp, ORIGIN), "{bytes:?}");
                }
                (Ok(_), Some(Stop::Fault(fault))) => {
                    let may = matches!(fault.kind, FaultKind::Stack(_) | FaultKind::EndlessQueue);
                    assert!(may, "{bytes:?} {fault}");
                }
                (Ok(decoded), stop) => {
                    let moves = row.is_some_and(|row| row.control);
                    if !moves {
                        assert_eq!(m.ip(), ORIGIN + u32::from(decoded.length), "{bytes:?}");
                    }
                    assert!(opcode != 140 || stop == Some(Stop::Exit(0)));
                    if matches!(stop, Some(Stop::Exit(_))) {
                        m = fresh.clone();
                    }
                }
                (Err(error), stop) => panic!("{bytes:?}: {error:?}, but {stop:?}"),
            }
        }
    }
}
