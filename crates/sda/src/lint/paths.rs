//! Paths that end badly: more or less on the stack than at the start, into
//! data, nowhere; and instructions that only a debugger wants.

use std::collections::{BTreeMap, BTreeSet};

use super::Context;
use super::finding::{Finding, Place};
use super::value::Slot;
use super::walk::{Event, Leave, Walk};
use crate::flow::{Stop, Stray};

/// PUSH and POP that do not match: L0301, L0302.
pub(super) fn stack(context: &Context<'_>, walk: &Walk<'_, '_>, out: &mut Vec<Finding>) {
    let name = context.name(walk.routine.entry);
    for event in &walk.events {
        match event {
            Event::Leave { at, how, stack: Some(stack), .. } if *how != Leave::Computed => {
                let how = match how {
                    Leave::Tail(to) => format!("goes on in `{}`", context.name(*to)),
                    _ => "returns".into(),
                };
                out.extend(left_over(*at, &name, &how, stack));
            }
            Event::Gone { at, to, stack: Some(stack) } => {
                let never = !context.summaries.get(to).is_none_or(|summary| summary.returns);
                if !never {
                    let how = format!("goes on in `{}`", context.name(*to));
                    out.extend(left_over(*at, &name, &how, stack));
                }
            }
            Event::Underflow { at } => out.push(
                Finding::new("L0302", *at, format!("`{name}` pops what it has not pushed"))
                    .label("this takes the caller's return address")
                    .also(Place::At(walk.routine.entry), "the routine"),
            ),
            Event::Uneven { to, one, other, pushed } => out.push(
                Finding::new(
                    "L0301",
                    *to,
                    "two paths meet here with different amounts on the stack".into(),
                )
                .also(Place::At(*pushed), "only one of them has what is pushed here")
                .also(Place::At(*one), "one comes from here")
                .also(Place::At(*other), "the other from here"),
            ),
            _ => {}
        }
    }
}

fn left_over(at: u32, name: &str, how: &str, stack: &[Slot]) -> Option<Finding> {
    let last = stack.last()?;
    let bytes = if stack.len() == 1 { "byte".into() } else { format!("{} bytes", stack.len()) };
    let bytes = if stack.len() == 1 { format!("1 {bytes}") } else { bytes };
    let message = format!("`{name}` {how} with {bytes} still on the stack");
    Some(Finding::new("L0301", at, message).also(Place::At(last.at), "pushed here"))
}

/// Paths into what is no code: L0401.
pub(super) fn strays(context: &Context<'_>, out: &mut Vec<Finding>) {
    let flow = &context.routines.flow;
    let mut calls: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for step in flow.steps() {
        if let Some(to) = step.call {
            calls.entry(to).or_default().push(step.address);
        }
    }
    let mut found: BTreeSet<(u32, u32)> = BTreeSet::new();
    for Stray { from, to, what } in flow.strays() {
        let callers = match from {
            Some(from) => vec![from],
            None => calls.get(&to).cloned().unwrap_or_default(),
        };
        let into = match what {
            Stop::Outside | Stop::Undecodable => "something that is no code",
            Stop::Within(_) => "the middle of an instruction",
        };
        for at in callers.into_iter().filter(|&at| found.insert((at, to))) {
            let Some(step) = flow.at(at) else { continue };
            // These end most programs that have them, and their text follows.
            if matches!(step.decoded.row.mnemonic, "HALT" | "BRK") && step.next() == to {
                continue;
            }
            let how = match () {
                () if step.call == Some(to) => "calls",
                () if step.jumps.contains(&to) => "jumps into",
                () => "runs on into",
            };
            let finding = Finding::new("L0401", at, format!("this {how} {into}"));
            let place = match what {
                Stop::Within(start) => start,
                _ => to,
            };
            out.push(finding.also(Place::At(place), "what is there"));
        }
    }
}

/// Code that no path comes to: L0402. The first statement of each stretch.
pub(super) fn unreached(context: &Context<'_>, out: &mut Vec<Finding>) {
    let mut code: Vec<(u32, u32)> = context
        .program
        .statements()
        .iter()
        .filter(|statement| statement.code && !statement.is_reserved)
        .map(|statement| (statement.address, statement.address + statement.size))
        .collect();
    code.sort_unstable();
    let flow = &context.routines.flow;
    let mut open = None;
    for (start, end) in code {
        let reached = flow.covering(start).is_some();
        if !reached && open != Some(start) {
            let finding = Finding::new("L0402", start, "no path comes here".into());
            // What stands before it, and does not go on.
            let before = (1..=isa::MAX_LENGTH as u32).filter_map(|back| start.checked_sub(back));
            let before = before.filter_map(|at| flow.at(at)).find(|step| step.next() == start);
            out.push(match before {
                Some(step) => finding.also(Place::At(step.address), "nothing goes on behind this"),
                None => finding,
            });
        }
        open = (!reached).then_some(end);
    }
}

/// SED and BRK, left over from debugging: L0501.
pub(super) fn debugging(context: &Context<'_>, out: &mut Vec<Finding>) {
    for step in context.routines.flow.steps() {
        let what = match step.decoded.row.mnemonic {
            "SED" => "the CPU's trace is switched on here",
            "BRK" => "the program stops for a debugger here",
            _ => continue,
        };
        out.push(Finding::new("L0501", step.address, what.into()));
    }
}
