//! The programs of docs/guide.md and of the README assemble, run and pass as
//! those pages say.

mod support;

use support::Folder;

/// The fenced `sda` blocks of a page with the file name that each begins
/// with: `; hello.sda: …`.
fn programs(page: &str) -> Vec<(&str, &str)> {
    let blocks = page.split("```sda\n").skip(1).map(|rest| rest.split("```").next().unwrap_or(""));
    blocks
        .map(|block| {
            let name = block.strip_prefix("; ").and_then(|text| text.split(':').next());
            (name.expect("a block begins with its file's name"), block)
        })
        .collect()
}

fn page(path: &str) -> String {
    let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the page is there")
}

#[test]
fn the_guide_s_programs_do_what_it_says() {
    let page = page("docs/guide.md");
    let files = programs(&page);
    assert_eq!(
        files.iter().map(|file| file.0).collect::<Vec<_>>(),
        ["hello.sda", "walk.sda", "test_walk.sda"]
    );
    let folder = Folder::with(&files);

    let hello = folder.run(&["run", "hello.sda", "--headless", "--screen", "text"]).ends_with(0);
    let greetings = hello.out.lines().filter(|line| line.trim() == "Hello from the SD-8516!");
    assert_eq!(greetings.count(), 5);

    let keys = ["--keys", "<Left><Left><Up>", "--screen", "text"];
    let walk = folder.run(&[&["run", "walk.sda", "--headless"][..], &keys].concat()).ends_with(0);
    let place: Vec<_> =
        walk.out.lines().enumerate().filter_map(|(y, row)| Some((row.find('@')?, y))).collect();
    assert_eq!(place, [(38, 11)]);

    let test = folder.run(&["test", "test_walk.sda"]).ends_with(0);
    assert!(test.out.ends_with("1 passed, 0 failed\n"), "{}", test.out);
}

#[test]
fn the_readme_s_program_does_what_it_says() {
    let page = page("README.md");
    let files = programs(&page);
    assert_eq!(files.len(), 1);
    let folder = Folder::with(&files);
    let run = folder.run(&["run", files[0].0, "--headless", "--screen", "text"]).ends_with(0);
    assert_eq!(run.out.lines().next().map(str::trim), Some("Hello from the SD-8516!"));
}

#[test]
fn the_guide_shows_what_disasm_writes() {
    let guide = page("docs/guide.md");
    let shown = guide.split("$ vc3 disasm hello.prg\n").nth(1).expect("the guide shows it");
    let shown = shown.split("```").next().unwrap_or("");
    let folder = Folder::with(&programs(&guide));
    folder.run(&["asm", "hello.sda"]).ends_with(0);
    assert_eq!(folder.run(&["disasm", "hello.prg"]).ends_with(0).out, shown);
}

#[test]
fn the_guide_s_programs_are_in_the_layout() {
    for (name, program) in programs(&page("docs/guide.md")) {
        assert_eq!(sda::fmt::format(program), program, "{name}");
    }
}
