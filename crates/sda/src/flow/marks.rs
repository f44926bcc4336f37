//! One byte of marks for each address that a path has come to: what the flow
//! knows of a whole image, in little more memory than the image.

/// What may be said of an address.
pub(super) mod mark {
    /// An instruction begins here.
    pub const STEP: u8 = 1;
    /// The next instruction in memory can come after it.
    pub const FALLS: u8 = 2;
    /// A path from it reaches a return.
    pub const RETURNS: u8 = 4;
    /// A path came here, whether there is an instruction or not.
    pub const MET: u8 = 8;
    /// On every path so far AH is the same here.
    pub const KNOWN_AH: u8 = 16;
    /// A later byte of an instruction.
    pub const INSIDE: u8 = 32;
    /// It was seen where the instruction here leads.
    pub const VISITED: u8 = 64;
}

const PAGE: usize = 1 << 12;

/// Marks and AH of its addresses.
type Page = Box<[(u8, u8)]>;

/// Marks and a value by address.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    /// By number, as far as one was needed.
    pages: Vec<Option<Page>>,
}

impl Marks {
    /// Whether all of `marks` are set.
    pub fn has(&self, address: u32, marks: u8) -> bool {
        self.get(address).0 & marks == marks
    }

    /// Sets marks.
    pub fn set(&mut self, address: u32, marks: u8) {
        self.cell(address).0 |= marks;
    }

    /// AH, when it is known.
    pub fn ah(&self, address: u32) -> Option<u8> {
        let (marks, ah) = self.get(address);
        (marks & mark::KNOWN_AH != 0).then_some(ah)
    }

    /// Says what AH is.
    pub fn set_ah(&mut self, address: u32, ah: Option<u8>) {
        let cell = self.cell(address);
        match ah {
            Some(ah) => *cell = (cell.0 | mark::KNOWN_AH, ah),
            None => cell.0 &= !mark::KNOWN_AH,
        }
    }

    /// Every address with all of `marks`, ascending.
    pub fn all(&self, marks: u8) -> impl Iterator<Item = u32> + '_ {
        let pages = self.pages.iter().enumerate();
        let pages = pages.filter_map(|(number, page)| Some((number, page.as_deref()?)));
        pages.flat_map(move |(page, cells)| {
            let marked = cells.iter().enumerate().filter(move |(_, cell)| cell.0 & marks == marks);
            marked.map(move |(at, _)| (page * PAGE + at) as u32)
        })
    }

    fn get(&self, address: u32) -> (u8, u8) {
        match self.pages.get(address as usize / PAGE) {
            Some(Some(cells)) => cells[address as usize % PAGE],
            _ => (0, 0),
        }
    }

    fn cell(&mut self, address: u32) -> &mut (u8, u8) {
        let page = address as usize / PAGE;
        if page >= self.pages.len() {
            self.pages.resize(page + 1, None);
        }
        let page = &mut self.pages[page];
        &mut page.get_or_insert_with(|| vec![(0, 0); PAGE].into())[address as usize % PAGE]
    }
}
