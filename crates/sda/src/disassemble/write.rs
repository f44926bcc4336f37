//! The source, statement by statement.

use std::io::{self, Write};

use isa::{Decoded, Operand, services};

use super::code_at;
use super::data::{Data, parts};
use super::names::{Names, stretch};
use super::paragraphs::Paragraphs;
use crate::flow::Flow;
use crate::listing;

/// Values in a line of `.bytes`.
const BYTES_IN_A_LINE: usize = 8;
/// Values in a line of `.ptrs`.
const POINTERS_IN_A_LINE: usize = 4;
/// Lines of data that are written without looking at their layout, when there
/// are so many, and those at both ends that are laid out all the same.
const MANY_ROWS: usize = 64;
const EDGE: usize = 2;
/// Characters of a string in a line.
const TEXT_IN_A_LINE: usize = 60;

/// Writes a program whose code and names are known.
pub(super) struct Writer<'a> {
    flow: &'a Flow<'a>,
    names: &'a Names<'a, 'a>,
    addresses: bool,
    out: Paragraphs<'a>,
}

/// What the statement before was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Instruction { falls: bool },
    Data,
}

impl<'a> Writer<'a> {
    pub fn new(
        flow: &'a Flow<'a>,
        names: &'a Names<'a, 'a>,
        addresses: bool,
        out: &'a mut dyn Write,
    ) -> Writer<'a> {
        Writer { flow, names, addresses, out: Paragraphs::new(out) }
    }

    /// The entry and the names of what is not in the image.
    pub fn head(&mut self, entry: u32) -> io::Result<()> {
        self.line(&format!(".entry {}", self.address(entry)), None)?;
        self.out.end();
        let names = self.names;
        for (address, name) in names.outside() {
            self.line(&format!(".equ {name} ${address:06X}"), None)?;
        }
        self.out.end();
        Ok(())
    }

    /// Writes what is left.
    pub fn finish(self) -> io::Result<()> {
        self.out.finish()
    }

    /// The bytes at `start`, which touch no others.
    pub fn piece(&mut self, start: u32, bytes: &[u8]) -> io::Result<()> {
        self.line(&format!(".address ${start:06X}"), None)?;
        let mut before = Before::Nothing;
        let mut at = 0;
        while at < bytes.len() {
            let address = start + at as u32;
            let step = code_at(self.flow, address);
            self.label(address, step.is_some(), before)?;
            if let Some(step) = step {
                let length = usize::from(step.length);
                self.instruction(address, &step, &bytes[at..at + length])?;
                before = Before::Instruction { falls: self.flow.falls(address) };
                at += length;
            } else {
                let has_label = |address| self.names.has_label(address);
                let data = stretch(address, &bytes[at..], self.flow, &has_label);
                self.data(data)?;
                before = Before::Data;
                at += data.len();
            }
        }
        self.out.end();
        Ok(())
    }

    /// The label of an address; where something else begins, behind a blank
    /// line.
    fn label(&mut self, address: u32, is_code: bool, before: Before) -> io::Result<()> {
        let label = self.names.label(address);
        let is_plain = label.as_ref().is_some_and(|label| !label.starts_with('.'));
        let divides = match before {
            Before::Nothing => true,
            Before::Instruction { falls } => !is_code || !falls && is_plain,
            Before::Data => is_code,
        };
        if divides {
            self.out.end();
        }
        label.map_or(Ok(()), |label| self.out.label(&label))
    }

    fn instruction(&mut self, address: u32, one: &Decoded, bytes: &[u8]) -> io::Result<()> {
        let symbol = |address| self.names.text(address);
        let text = one.text(address, &symbol).to_string();
        let mut comment = String::new();
        if self.addresses {
            let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            let (hex, units) = (hex.join(" "), listing::units(bytes));
            comment = format!("{address:06X}: {hex:29} {units:>2}  ");
        }
        if let Some(service) = self.service(address, one) {
            comment.push_str(service);
        } else if let Some(character) = compared(one) {
            comment.push_str(&format!("'{character}'"));
        }
        let comment = comment.trim_end();
        match comment.is_empty() {
            true => self.out.instruction(&text),
            false => self.line(&text, Some(comment)),
        }
    }

    /// The service that an `INT` calls, when AH is known there.
    fn service(&self, address: u32, one: &Decoded) -> Option<&'static str> {
        let Some(Operand::Imm { value, .. }) = one.operands[0] else { return None };
        let is_call = one.row.mnemonic == "INT";
        let function = self.flow.ah(address).filter(|_| is_call)?;
        services::service(value as u8, function).map(|service| service.name)
    }

    /// Bytes that no label divides.
    fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
        let names = self.names;
        let is_pointed = |address| names.is_pointed(address);
        let mut values = Vec::new();
        for (part, own) in parts(bytes, &is_pointed) {
            match part {
                Data::Byte(_) | Data::Pointer(_) => {
                    values.push(part);
                    continue;
                }
                _ => self.values(&mut values)?,
            }
            match part {
                Data::Text { ends, .. } => self.text(own, ends)?,
                _ if own[0] == 0 => self.line(&format!(".fill {}", own.len()), None)?,
                _ => self.line(&format!(".fill {}, ${:02X}", own.len(), own[0]), None)?,
            }
        }
        self.values(&mut values)
    }

    /// Bytes and addresses that follow each other.
    fn values(&mut self, values: &mut Vec<Data>) -> io::Result<()> {
        let is_pointer = |value: &Data| matches!(value, Data::Pointer(_));
        let (word, count) = match values.iter().all(is_pointer) {
            true => (".ptrs", POINTERS_IN_A_LINE),
            false => (".bytes", BYTES_IN_A_LINE),
        };
        let rows = values.len().div_ceil(count);
        let midst = if rows < MANY_ROWS { 0..0 } else { EDGE..rows - EDGE };
        for (number, row) in values.chunks(count).enumerate() {
            let text = self.row(word, row);
            match midst.contains(&number) {
                true => self.out.row(&text)?,
                false => self.line(&text, None)?,
            }
        }
        values.clear();
        Ok(())
    }

    /// A line of data.
    fn row(&self, word: &str, values: &[Data]) -> String {
        let mut text = String::from(word);
        for (at, value) in values.iter().enumerate() {
            text.push_str(if at == 0 { " " } else { ", " });
            match *value {
                Data::Pointer(address) => text.push_str(&self.address(address)),
                Data::Byte(byte) => push_byte(&mut text, byte),
                Data::Text { .. } | Data::Filling(_) => {}
            }
        }
        text
    }

    /// A string, in as many lines as it needs.
    fn text(&mut self, bytes: &[u8], ends: bool) -> io::Result<()> {
        let mut rest = if ends { &bytes[..bytes.len() - 1] } else { bytes };
        loop {
            let (line, after) = rest.split_at(line_of_text(rest));
            rest = after;
            let quoted: String = line.iter().map(|&byte| quoted(byte)).collect();
            let word = if ends && rest.is_empty() { ".asciiz" } else { ".ascii" };
            self.line(&format!("{word} \"{quoted}\""), None)?;
            if rest.is_empty() {
                return Ok(());
            }
        }
    }

    fn address(&self, address: u32) -> String {
        match self.names.text(address) {
            Some(name) => format!("@{name}"),
            None => format!("${address:06X}"),
        }
    }

    fn line(&mut self, code: &str, comment: Option<&str>) -> io::Result<()> {
        self.out.line(code, comment)
    }
}

/// The character that a byte is compared with.
fn compared(one: &Decoded) -> Option<char> {
    let Some(Operand::Imm { value, width: 1 }) = one.operands[1] else { return None };
    let is_compare = one.row.mnemonic == "CMP";
    u8::try_from(value).ok().map(char::from).filter(|c| is_compare && c.is_ascii_graphic())
}

/// `$0F`; there are millions of them in a large image.
fn push_byte(text: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    text.push('$');
    text.push(char::from(DIGITS[usize::from(byte >> 4)]));
    text.push(char::from(DIGITS[usize::from(byte & 15)]));
}

/// Characters of the next line of a string: up to a new line or a blank, if
/// there is one.
fn line_of_text(text: &[u8]) -> usize {
    let most = &text[..text.len().min(TEXT_IN_A_LINE)];
    if let Some(end) = most.iter().position(|&byte| byte == b'\n') {
        return end + 1;
    }
    if most.len() == text.len() {
        return text.len();
    }
    most.iter().rposition(|&byte| byte == b' ').map_or(most.len(), |blank| blank + 1)
}

fn quoted(byte: u8) -> String {
    match byte {
        b'\n' => "\\n".into(),
        b'\r' => "\\r".into(),
        b'\t' => "\\t".into(),
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        _ => char::from(byte).into(),
    }
}
