//! Explanations: for every code a page that says what is wrong, why it is an
//! error, and shows a wrong and a right example. The pages are the files
//! beside this one, in `explain/`.

/// The page of one code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The code, such as `E0304`.
    pub code: &'static str,
    /// The page in Markdown: a heading, text, and the sections `Wrong` and
    /// `Right` with one example each.
    pub page: &'static str,
}

macro_rules! pages {
    ($($code:ident)*) => {
        /// Every page, by ascending code.
        pub const EXPLANATIONS: &[Explanation] = &[
            $(Explanation {
                code: stringify!($code),
                page: include_str!(concat!("explain/", stringify!($code), ".md")),
            },)*
        ];
    };
}

pages! {
    E0101 E0102 E0103 E0104 E0105 E0106 E0107 E0108 E0109 E0201 E0202 E0203 E0204 E0205
    E0206 E0301 E0302 E0303 E0304 E0305 E0306 E0307 E0308 E0309 E0310 E0311 E0401 E0402
    E0403 E0404 E0405 E0406 E0407 E0501 E0502 E0503 E0504 E0505 E0507 E0508 E0509 E0510
    E0601 E0602 E0603 E0604 E0605 E0606 E0607 E0608 E0701 E0702 E0703 E0704 E0705 E0706 L0101 L0102
    L0103 L0104 L0201 L0202 L0203 L0204 L0301 L0302 L0401 L0402 L0501 L0901 W0301 W0302
    W0401 W0402 W0509 W0702 W0801 W0802
}

impl Explanation {
    /// The page of a code, in upper or lower case.
    pub fn of(code: &str) -> Option<&'static Explanation> {
        EXPLANATIONS.iter().find(|one| one.code.eq_ignore_ascii_case(code))
    }

    /// What the code means, in a few words.
    pub fn title(&self) -> &'static str {
        let heading = self.page.lines().next().unwrap_or("");
        heading.split_once(": ").map_or("", |(_, title)| title)
    }

    /// Whether it is a finding's of lint.
    pub fn is_finding(&self) -> bool {
        self.code.starts_with('L')
    }

    /// Whether it is a warning's.
    pub fn is_warning(&self) -> bool {
        self.code.starts_with('W')
    }
}
