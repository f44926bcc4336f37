//! How many million instructions a second the machine executes on this host,
//! on small loops without any service: `cargo run --release --example mips`.

use std::time::Instant;

use sd8516::{Image, Machine, Served, Services, Stop};

struct NoServices;

impl Services for NoServices {
    fn interrupt(&mut self, _: &mut Machine, _: u8) -> Served {
        Served::Unknown
    }
}

/// Instructions of each measurement.
const INSTRUCTIONS: u64 = 200_000_000;

fn main() -> Result<(), sd8516::ImageError> {
    let loops: [(&str, &[u8]); 5] = [
        // ADD A, B; XOR C, A; SHL X; SUB Y, A; DEC I; BRA loop
        ("words", &[30, 0, 1, 52, 4, 0, 70, 2, 31, 3, 0, 22, 5, 110, 0xF0, 0xFF]),
        // ADD AL, BL; XOR CH, AL; DEC KL; BRA loop
        ("bytes", &[30, 16, 18, 52, 25, 16, 22, 30, 110, 0xF5, 0xFF]),
        // ADD ELM, ELD; ADD IJ, 1; SUBC ABCD, ABCD; DEC T; BRA loop
        ("wide", &[30, 77, 78, 35, 51, 1, 0, 0, 0, 41, 53, 53, 22, 8, 110, 0xEF, 0xFF]),
        // LDAL [BLX]; STAL [FLM]; INC X; INC M; DEC I; BRA loop
        ("copying", &[5, 16, 64, 7, 16, 85, 21, 2, 21, 9, 22, 5, 110, 0xF1, 0xFF]),
        // CALL far; BRA loop; far: PUSH A; POP B; RET
        ("calls", &[132, 7, 1, 2, 110, 0xF9, 0xFF, 11, 0, 12, 1, 133]),
    ];
    for (name, code) in loops {
        let mut machine = Machine::new();
        machine.start(&Image::parse(code, false)?, b"")?;
        let begin = Instant::now();
        let stop = machine.run(&mut NoServices, INSTRUCTIONS);
        assert_eq!(stop, Stop::Budget);
        let seconds = begin.elapsed().as_secs_f64();
        println!("{name:8} {:7.0} million a second", INSTRUCTIONS as f64 / seconds / 1e6);
    }
    Ok(())
}
