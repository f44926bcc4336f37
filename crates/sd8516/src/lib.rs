//! The SD-8516 CPU and the VC-3 machine around it, as a library: no I/O, no
//! threads, no host time.
//!
//! A [`Machine`] is a value. It can be cloned, compared, sent to another
//! thread and serialised at any moment, and the same machine with the same
//! keys always does the same.
//!
//! ```
//! use sd8516::{Image, Machine, Served, Services, Stop};
//!
//! /// Just enough of a BIOS to end a program: INT $20, AH = 0.
//! struct Exit;
//!
//! impl Services for Exit {
//!     fn interrupt(&mut self, machine: &mut Machine, vector: u8) -> Served {
//!         let a = machine.reg(isa::Reg::by_name("A").unwrap());
//!         if vector == 0x20 && a >> 8 == 0 { Served::Exit(a as u8) } else { Served::Unknown }
//!     }
//! }
//!
//! // LDA $0007, INT $20
//! let image = Image::parse(&[0x00, 0x00, 0x07, 0x00, 0x88, 0x20], false)?;
//! let mut machine = Machine::new();
//! machine.start(&image, b"")?;
//! assert_eq!(machine.run(&mut Exit, u64::MAX), Stop::Exit(7));
//! assert_eq!(machine.units(), 2);
//! # Ok::<(), sd8516::ImageError>(())
//! ```

mod clock;
mod code_watch;
mod cpu;
mod engine;
mod fault;
mod image;
mod machine;
mod memory;
mod pages;
mod replay;
mod sanitize;
mod services;

pub mod devices;
pub mod keyboard;
pub mod ppu;
pub mod rng;
pub mod sound;
pub mod waiting;

pub use devices::Devices;
pub use engine::{Engine, NoSuchEngine};
pub use fault::{Fault, FaultKind};
pub use image::{Image, ImageError, Segment};
pub use keyboard::Key;
pub use machine::{Machine, STOPPED_BY_FAULT, STOPPED_BY_USER};
pub use memory::Memory;
pub use ppu::Picture;
pub use replay::{History, Past, Replay};
pub use services::{Input, Served, Services, Stop, Wait};
