//! Prints the instruction reference, `docs/isa.md`.

fn main() {
    print!("{}", isa::reference());
}
