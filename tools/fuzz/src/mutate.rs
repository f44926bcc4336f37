//! Other inputs out of known ones: bits, bytes, pieces and words changed at
//! random.

/// A small generator of random numbers (xorshift); the same seed gives the
/// same inputs.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `bound`, which is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let most = (length - start).min(1 + self.below(40));
        start..start + most
    }
}

/// Bytes of the longest input that is made.
const LONGEST: usize = 16 << 10;

/// The words that programs are made of.
pub fn dictionary() -> Vec<Vec<u8>> {
    let directives = sda::directives().map(|(name, _)| format!(".{name} "));
    let mnemonics = isa::INSTRUCTIONS.iter().map(|row| format!("{} ", row.mnemonic));
    let regs = isa::Reg::all().map(|reg| reg.name().to_string());
    let signs =
        "\n|, |[|]|(|)|+|-|*|/|%|~|<<|>>|==|@|:|.|$|#|'|\"|;|\\|\\@|lo(|word(|$FFFFFF|65536|= ";
    let signs = signs.split('|').map(str::to_string);
    directives.chain(mnemonics).chain(regs).chain(signs).map(String::into_bytes).collect()
}

/// A new input made of one or two known ones.
pub fn mutated(known: &[Vec<u8>], words: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut input = known[random.below(known.len())].clone();
    for _ in 0..1 + random.below(8) {
        let range = random.range(input.len());
        match random.below(8) {
            0 if !input.is_empty() => {
                let at = random.below(input.len());
                input[at] ^= 1 << random.below(8);
            }
            1 if !input.is_empty() => {
                let at = random.below(input.len());
                input[at] = random.below(256) as u8;
            }
            2 => {
                input.drain(range);
            }
            3 => {
                let piece = input[range].to_vec();
                let at = random.below(input.len() + 1);
                input.splice(at..at, piece);
            }
            4 | 5 => {
                let word = words[random.below(words.len())].clone();
                let range = if random.below(2) == 0 { range } else { range.start..range.start };
                input.splice(range, word);
            }
            6 => {
                let other = &known[random.below(known.len())];
                let piece = other[random.range(other.len())].to_vec();
                input.splice(range.start..range.start, piece);
            }
            _ => {
                let byte = random.below(256) as u8;
                input.insert(range.start, byte);
            }
        }
    }
    input.truncate(LONGEST);
    input
}
