//! The BIOS with a look at the host's clock, so that costly services don't
//! keep the user waiting. It changes nothing that the machine does.

use std::time::Instant;

use bios::{Bios, Disk};
use sd8516::{Machine, Served, Services};

/// A BIOS that wants a pause from a moment on.
pub struct Patience<'a, D> {
    pub bios: &'a mut Bios<D>,
    /// When patience is over; never without one.
    pub deadline: Option<Instant>,
}

impl<D> Patience<'_, D> {
    /// Whether the moment has come.
    pub fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl<D: Disk> Services for Patience<'_, D> {
    fn interrupt(&mut self, machine: &mut Machine, vector: u8) -> Served {
        self.bios.interrupt(machine, vector)
    }

    fn wants_pause(&mut self) -> bool {
        self.is_over()
    }
}
