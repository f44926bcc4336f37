//! The run loop: instructions, the events between them, and what waits
//! (machine manual, sections 4 and 5).

use isa::Reg;
use isa::flags::{B, E, H, I};
use isa::memory_map::{ADDRESS_MASK, FRAME_VECTOR, STOP_VECTOR};
use isa::time::{STOP_UNITS, units_for};

use super::{Machine, StopRequest};
use crate::cpu::Flow;
use crate::engine::{self, Engine, Left, Pending, Span};
use crate::fault::FaultKind;
use crate::services::{Input, Served, Services, Stop, Wait};

/// AL after a call that nothing serves.
const NO_SERVICE: u64 = 255;
const AL: Reg = Reg::from_id(16).expect("a number of the register table");

/// Who executes the instructions of one run.
#[derive(Clone, Copy)]
enum Execution {
    Plain,
    /// Plainly, with the checking mode's looks at each.
    Checked,
    By(Engine),
}

/// What came of an instruction that the CPU left to the machine.
enum Outcome {
    /// Executed; no control instruction.
    Done,
    /// Executed, or waited: interrupts may be served now.
    Control,
    /// The run ends.
    Stop(Stop),
}

impl From<Option<Stop>> for Outcome {
    /// Without a stop the program has ended and its caller goes on behind its
    /// INT.
    fn from(stop: Option<Stop>) -> Self {
        stop.map_or(Outcome::Control, Outcome::Stop)
    }
}

impl Machine {
    /// Runs until the next instruction would begin at `until` units or later
    /// (`u64::MAX`: no limit), the services want a pause, or something stops
    /// the program.
    pub fn run<S: Services>(&mut self, services: &mut S, until: u64) -> Stop {
        self.proceed_in_mode(services, until, false).unwrap_or(Stop::Budget)
    }

    /// Executes one instruction, or lets a wait without keys pass a frame.
    pub fn step<S: Services>(&mut self, services: &mut S) -> Option<Stop> {
        self.proceed_in_mode(services, u64::MAX, true)
    }

    /// Not generic over the services: so the run loop is compiled in this
    /// crate, optimised even where the crate that calls it is not.
    fn proceed_in_mode(
        &mut self,
        services: &mut dyn Services,
        until: u64,
        single: bool,
    ) -> Option<Stop> {
        match (self.memory.is_marking(), self.engine.engine.resolved()) {
            (true, _) => self.proceed(Execution::Checked, services, until, single),
            (false, Engine::Plain) => self.proceed(Execution::Plain, services, until, single),
            (false, _) if single => self.proceed(Execution::Plain, services, until, single),
            (false, engine) => self.proceed(Execution::By(engine), services, until, single),
        }
    }

    /// Under [`Input::Live`], after [`Stop::Wait`]: moves time to the end of
    /// the frame. What waited for it goes on with the next run. Does nothing
    /// when the program doesn't wait.
    pub fn end_frame(&mut self) {
        if self.waiting.take().is_none() {
            return;
        }
        self.at_control = true;
        self.clock.skip_frame();
        self.pass_frames();
    }

    /// The user or the host asks the program to stop. Vector 9, unless it is
    /// zero, is called, and the program has 1,280,000 units; a second request
    /// says that its time is up.
    pub fn request_stop(&mut self) {
        let units = self.clock.units;
        self.stop = match self.stop {
            StopRequest::None => StopRequest::Asked { until: units.saturating_add(STOP_UNITS) },
            StopRequest::Asked { .. } => StopRequest::Asked { until: units },
            StopRequest::Called { .. } => StopRequest::Called { until: units },
        };
    }

    /// `None` when `until` is reached, the single instruction is done or the
    /// services want a pause.
    fn proceed(
        &mut self,
        execution: Execution,
        services: &mut dyn Services,
        until: u64,
        single: bool,
    ) -> Option<Stop> {
        if let Some(code) = self.exit {
            return Some(Stop::Exit(code));
        }
        if self.waiting == Some(Wait::Frame) {
            if self.stop == StopRequest::None {
                return Some(Stop::Wait);
            }
            self.end_frame();
        }
        let waited = self.waiting.take().is_some();
        let asked = matches!(self.stop, StopRequest::Asked { .. });
        let mut at_control = std::mem::take(&mut self.at_control) || waited && asked;
        let mut enough = false;
        loop {
            self.pass_frames();
            if at_control && let Err(kind) = self.serve_interrupts() {
                if let Some(stop) = self.fault(kind) {
                    return Some(stop);
                }
                continue;
            }
            if self.stop_is_due() {
                if let Some(stop) = self.stop_program() {
                    return Some(stop);
                }
                at_control = true;
                continue;
            }
            if enough || self.clock.units >= until {
                return None;
            }

            self.cpu.flags &= !E;
            let horizon = if single { 0 } else { until.min(self.next_event()) };
            let outcome = match execution {
                Execution::Checked => self.execute_until::<true>(services, horizon),
                Execution::Plain => self.execute_until::<false>(services, horizon),
                Execution::By(engine) => self.execute_by(engine, services, horizon),
            };
            at_control = match outcome {
                Outcome::Done => false,
                Outcome::Control => true,
                Outcome::Stop(stop) => {
                    // The last instruction, too, may bring the frame's end.
                    self.pass_frames();
                    return Some(stop);
                }
            };
            enough = single || services.wants_pause();
        }
    }

    /// Executes at least one instruction, and more until time is at
    /// `horizon` or there is something to do between two of them. What the
    /// engine leaves is executed plainly.
    fn execute_by(&mut self, engine: Engine, services: &mut dyn Services, horizon: u64) -> Outcome {
        loop {
            if self.clock.units < horizon {
                let (units, pending) = (self.clock.units, self.pending_interrupt());
                let mut span = Span { units, horizon, pending, patience: self.engine.patience };
                let left = engine::run(engine, &mut self.cpu, &mut self.memory, &mut span);
                self.clock.units = span.units;
                match left {
                    Left::Horizon => return Outcome::Done,
                    Left::Control => return Outcome::Control,
                    Left::Plain => {}
                }
            }
            if let Some(outcome) = self.execute_what_is_left(services, horizon) {
                return outcome;
            }
        }
    }

    /// The same without an engine.
    fn execute_until<const CHECKED: bool>(
        &mut self,
        services: &mut dyn Services,
        horizon: u64,
    ) -> Outcome {
        loop {
            if let Some(outcome) = self.execute_one::<CHECKED>(services, horizon) {
                return outcome;
            }
        }
    }

    /// Not repeated in the loop of the engines.
    #[inline(never)]
    fn execute_what_is_left(
        &mut self,
        services: &mut dyn Services,
        horizon: u64,
    ) -> Option<Outcome> {
        self.execute_one::<false>(services, horizon)
    }

    /// Executes one instruction. `None` when the next one may follow at once.
    #[inline(always)]
    fn execute_one<const CHECKED: bool>(
        &mut self,
        services: &mut dyn Services,
        horizon: u64,
    ) -> Option<Outcome> {
        let at = self.cpu.ip;
        if CHECKED && let Err(kind) = self.check_instruction() {
            return Some(self.fault(kind).into());
        }
        match self.cpu.execute(&mut self.memory) {
            Ok(Flow::Next) => self.clock.units += 1,
            Ok(Flow::Longer(more)) => self.clock.units += 1 + u64::from(more),
            Ok(Flow::Control) => {
                self.clock.units += 1;
                if self.interrupt_is_possible() || self.clock.units >= horizon {
                    return Some(Outcome::Control);
                }
            }
            Ok(left) => match self.finish(services, left, at) {
                Outcome::Done => {}
                outcome => return Some(outcome),
            },
            Err(kind) => return Some(self.fault(kind).into()),
        }
        (self.clock.units >= horizon).then_some(Outcome::Done)
    }

    /// What an engine has to leave for after a control instruction.
    fn pending_interrupt(&self) -> Pending {
        match self.stop {
            StopRequest::Asked { .. } => Pending::Stop,
            _ if self.frame_mark => Pending::Frame,
            _ => Pending::None,
        }
    }

    /// Counts the frames that have ended, sets the mark and lets the devices
    /// look at their cells.
    #[inline]
    fn pass_frames(&mut self) {
        if self.clock.pass_frames() {
            self.frame_mark = true;
            self.devices.exchange(&mut self.memory, self.clock.units, self.clock.frames());
        }
    }

    /// When something may have to be done between instructions.
    fn next_event(&self) -> u64 {
        let frame = self.clock.frame_end();
        match self.stop {
            StopRequest::None => frame,
            StopRequest::Asked { until } | StopRequest::Called { until } => frame.min(until),
        }
    }

    /// Whether a control instruction is worth a look at the interrupts.
    #[inline(always)]
    fn interrupt_is_possible(&self) -> bool {
        self.frame_mark && self.frame_vector_may_be_called()
            || matches!(self.stop, StopRequest::Asked { .. })
    }

    fn frame_vector_may_be_called(&self) -> bool {
        self.cpu.flags & I != 0 && self.vector(FRAME_VECTOR) != 0
    }

    fn stop_vector_may_be_called(&self) -> bool {
        matches!(self.stop, StopRequest::Asked { .. }) && self.vector(STOP_VECTOR) != 0
    }

    /// After a control instruction: calls vector 9 or 8 when it is its time.
    fn serve_interrupts(&mut self) -> Result<(), FaultKind> {
        if let StopRequest::Asked { until } = self.stop
            && self.stop_vector_may_be_called()
        {
            self.call_vector(STOP_VECTOR)?;
            self.stop = StopRequest::Called { until };
        } else if self.frame_mark && self.frame_vector_may_be_called() {
            self.call_vector(FRAME_VECTOR)?;
            self.frame_mark = false;
        }
        Ok(())
    }

    fn call_vector(&mut self, number: u8) -> Result<(), FaultKind> {
        let (back, handler) = (self.cpu.ip, self.vector(number));
        self.cpu.interrupt(&mut self.memory, back, handler)?;
        self.cpu.flags &= !H;
        Ok(())
    }

    fn stop_is_due(&self) -> bool {
        match self.stop {
            StopRequest::None => false,
            StopRequest::Asked { until } => {
                self.clock.units >= until || self.vector(STOP_VECTOR) == 0
            }
            StopRequest::Called { until } => self.clock.units >= until,
        }
    }

    /// Finishes an instruction that isn't the CPU's alone. IP is behind it,
    /// `at` is where it stands.
    #[inline(never)]
    fn finish(&mut self, services: &mut dyn Services, flow: Flow, at: u32) -> Outcome {
        match flow {
            Flow::Interrupt(number) => self.software_interrupt(services, number, at),
            Flow::Halt => self.halt(at),
            Flow::Yield => self.wait_for_frame(at),
            Flow::Break if self.break_stops => {
                self.clock.units += 1;
                self.cpu.flags |= B;
                Outcome::Stop(Stop::Break)
            }
            Flow::Break => {
                self.cpu.ip = at;
                self.fault(FaultKind::Break).into()
            }
            Flow::Draw(opcode) => {
                let touched = self.draw_by_opcode(opcode);
                self.clock.units += 1 + units_for(touched);
                Outcome::Done
            }
            Flow::Next | Flow::Longer(_) | Flow::Control => Outcome::Done,
        }
    }

    fn software_interrupt(&mut self, services: &mut dyn Services, number: u8, at: u32) -> Outcome {
        let (handler, next) = (self.vector(number), self.cpu.ip);
        if handler != 0 {
            if let Err(kind) = self.cpu.interrupt(&mut self.memory, next, handler) {
                self.cpu.ip = at;
                return self.fault(kind).into();
            }
            self.exchange();
            self.clock.units += 1;
            return Outcome::Control;
        }
        loop {
            self.exchange();
            let served = services.interrupt(self, number);
            match served {
                Served::Done { touched } => {
                    self.devices.publish(&mut self.memory, self.clock.units, self.clock.frames());
                    self.clock.units += 1 + units_for(touched);
                    return Outcome::Control;
                }
                Served::Unknown => {
                    self.cpu.regs.write(AL, NO_SERVICE);
                    self.set_carry(true);
                    self.clock.units += 1;
                    return Outcome::Control;
                }
                Served::Exit(code) => {
                    self.clock.units += 1;
                    return self.end_program(code).into();
                }
                Served::Wait(wait) if self.input == Input::Live => {
                    self.cpu.ip = at;
                    self.waiting = Some(wait);
                    return Outcome::Stop(Stop::Wait);
                }
                Served::Wait(Wait::Frame) => {
                    self.cpu.ip = at;
                    self.clock.skip_frame();
                    return Outcome::Control;
                }
                Served::Wait(Wait::Key) => {
                    if !self.next_key_arrives() {
                        self.cpu.ip = at;
                        return Outcome::Stop(Stop::KeysUsedUp);
                    }
                }
            }
        }
    }

    /// HALT goes on at once when an interrupt is due, waits for the frame's
    /// end when that will call vector 8, and else ends the program. Either
    /// way the interrupt finds H set.
    fn halt(&mut self, at: u32) -> Outcome {
        let frame_is_due = self.frame_mark || self.clock.units + 1 >= self.clock.frame_end();
        let may_be_called = self.frame_vector_may_be_called();
        self.cpu.flags |= H;
        if frame_is_due && may_be_called || self.stop_vector_may_be_called() {
            self.clock.units += 1;
            return Outcome::Control;
        }
        if !may_be_called {
            self.clock.units += 1;
            return self.end_program(0).into();
        }
        let outcome = self.wait_for_frame(at);
        if self.cpu.ip == at {
            self.cpu.flags &= !H;
        }
        outcome
    }

    /// YIELD, and a HALT that has to wait.
    fn wait_for_frame(&mut self, at: u32) -> Outcome {
        if matches!(self.input, Input::List(_))
            && self.devices.keyboard.is_empty()
            && !self.next_key_arrives()
        {
            self.cpu.ip = at;
            return Outcome::Stop(Stop::KeysUsedUp);
        }
        self.exchange();
        if self.input == Input::Live {
            self.waiting = Some(Wait::Frame);
            return Outcome::Stop(Stop::Wait);
        }
        self.clock.skip_frame();
        Outcome::Control
    }

    /// The next key of the list enters the empty buffer.
    fn next_key_arrives(&mut self) -> bool {
        match &mut self.input {
            Input::List(keys) if self.devices.keyboard.is_empty() => {
                keys.pop_front().is_some_and(|key| self.devices.keyboard.push(key))
            }
            _ => false,
        }
    }

    fn exchange(&mut self) {
        self.devices.exchange(&mut self.memory, self.clock.units, self.clock.frames());
    }

    /// The checking mode, before each instruction.
    fn check_instruction(&self) -> Result<(), FaultKind> {
        crate::sanitize::check(&self.memory, &self.cpu.regs, self.cpu.ip & ADDRESS_MASK)
    }
}
