//! Block and queue instructions (section 3), and what they cost (section 4).

use crate::arithmetic::low;
use crate::decode::Value;
use crate::flags::{C, N, V, Z};
use crate::memory::wrap;
use crate::{Cost, Fault, Oracle};

/// The node that is a fault to visit.
const LAST_NODE: u64 = 65_536;
/// INSQUE and REMQUE always take as long.
const QUEUE: Cost = Cost::Units(4);

/// One unit, and one for each four bytes.
fn bytes(count: u64) -> Cost {
    Cost::Units(1 + count.div_ceil(4))
}

/// An address some bytes on.
fn after(address: u64, offset: u64) -> u32 {
    wrap(address + offset)
}

impl Oracle {
    /// Executes an instruction of this file.
    pub(crate) fn block(&mut self, opcode: u8, operands: &[Value]) -> Result<Cost, Fault> {
        let value = |index: usize| operands[index].value;
        Ok(match opcode {
            160 => self.copy(value(0), value(1), value(2)),
            161 => self.fill(value(0), value(1), value(2)),
            162 => self.compare(value(0), value(1), value(2)),
            163 => self.locate(operands, true),
            164 => self.locate(operands, false),
            170 => self.insert(value(0), value(1)),
            171 => self.remove(value(0)),
            _ => return self.scan(operands),
        })
    }

    /// MEMCOPY.
    fn copy(&mut self, to: u64, from: u64, count: u64) -> Cost {
        let buffer: Vec<u8> =
            (0..count).map(|offset| self.memory.byte(after(from, offset))).collect();
        for (offset, byte) in (0..).zip(buffer) {
            self.memory.set_byte(after(to, offset), byte);
        }
        bytes(count)
    }

    /// MEMFILL.
    fn fill(&mut self, to: u64, value: u64, count: u64) -> Cost {
        for offset in 0..count {
            self.memory.set_byte(after(to, offset), value as u8);
        }
        bytes(count)
    }

    /// CMPC.
    fn compare(&mut self, left: u64, right: u64, count: u64) -> Cost {
        self.set_flag(N, false);
        for offset in 0..count {
            let a = self.memory.byte(after(left, offset));
            let b = self.memory.byte(after(right, offset));
            if a != b {
                self.set_flag(Z, false);
                self.set_flag(C, a >= b);
                return bytes(offset + 1);
            }
        }
        self.set_flag(Z, true);
        self.set_flag(C, true);
        bytes(count)
    }

    /// LOCC looks for a byte that is equal, SKPC for one that isn't.
    fn locate(&mut self, operands: &[Value], equal: bool) -> Cost {
        let (start, value, count) = (operands[0].value, operands[1].value, operands[2].value);
        let found = (0..count)
            .find(|&offset| (u64::from(self.memory.byte(after(start, offset))) == value) == equal);
        self.set(operands[0], after(start, found.unwrap_or(count)).into());
        self.set_flag(C, found.is_some());
        self.set_flag(Z, found.is_none());
        self.set_flag(N, false);
        bytes(found.map_or(count, |offset| offset + 1))
    }

    /// A node's link forward is at +0, that back at +3.
    fn link(&mut self, node: u64, offset: u64) -> u64 {
        self.memory.read(after(node, offset), 3)
    }

    fn set_link(&mut self, node: u64, offset: u64, to: u64) {
        self.memory.write(after(node, offset), 3, to);
    }

    /// INSQUE.
    fn insert(&mut self, entry: u64, pred: u64) -> Cost {
        let succ = self.link(pred, 0);
        self.set_link(entry, 0, succ);
        self.set_link(entry, 3, pred);
        self.set_link(succ, 3, entry);
        self.set_link(pred, 0, entry);
        self.set_flag(Z, succ == pred);
        self.set_flag(N, false);
        QUEUE
    }

    /// REMQUE.
    fn remove(&mut self, entry: u64) -> Cost {
        let (succ, pred) = (self.link(entry, 0), self.link(entry, 3));
        let alone = succ == entry && pred == entry;
        if !alone {
            self.set_link(pred, 0, succ);
            self.set_link(succ, 3, pred);
        }
        self.set_flag(V, alone);
        self.set_flag(Z, alone || succ == pred);
        self.set_flag(N, false);
        QUEUE
    }

    /// SCANQUE.
    fn scan(&mut self, operands: &[Value]) -> Result<Cost, Fault> {
        let (target, head, wanted) = (operands[0], operands[1].value, operands[2]);
        let field = operands[3].value;
        let mut visited = 0;
        let mut node = self.link(head, 0);
        let found = loop {
            if node == head {
                break false;
            }
            visited += 1;
            if visited == LAST_NODE {
                return Err(Fault::Ring);
            }
            if self.memory.read(after(node, field), wanted.width) == wanted.value {
                break true;
            }
            node = self.link(node, 0);
        };
        self.set(target, low(node.into(), 3));
        self.set_flag(C, found);
        self.set_flag(Z, !found);
        self.set_flag(N, false);
        Ok(Cost::Units(1 + visited))
    }
}
