//! The disk behind INT $15: a host folder that nothing leads out of, shipped
//! files under it, and what every disk has in common.

use bios::{Disk, DiskError, Entry, HostDisk, Layered, MemoryDisk, Name, NoDisk};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;
use tempfile::TempDir;

fn name(text: &str) -> Name {
    Name::new(text.as_bytes()).unwrap()
}

fn names(disk: &impl Disk) -> Vec<String> {
    disk.entries().unwrap().iter().map(|entry| entry.name.to_string()).collect()
}

fn host() -> (TempDir, HostDisk) {
    let folder = tempfile::tempdir().unwrap();
    let disk = HostDisk::open(folder.path()).unwrap();
    (folder, disk)
}

/// What INT $15 promises of any disk that can be written.
fn check_disk(disk: &mut impl Disk) {
    let (a, b) = (name("A.DAT"), name("b"));
    assert_eq!(disk.load(&a, 100), Err(DiskError::NotFound));
    assert_eq!(disk.size(&a), Err(DiskError::NotFound));
    assert_eq!(disk.delete(&a), Err(DiskError::NotFound));
    assert_eq!(disk.rename(&a, &b), Err(DiskError::NotFound));
    disk.save(&b, b"second").unwrap();
    disk.save(&a, b"").unwrap();
    assert_eq!(disk.load(&a, 0).unwrap(), b"");
    disk.save(&a, b"first").unwrap();
    assert_eq!(disk.load(&a, 5).unwrap(), b"first");
    assert_eq!(disk.load(&a, 4), Err(DiskError::DoesNotFit));
    assert_eq!(disk.size(&a), Ok(5));
    disk.append(&a, b" and more").unwrap();
    assert_eq!(disk.load(&a, 100).unwrap(), b"first and more");
    disk.append(&name("new"), b"made").unwrap();
    assert_eq!(disk.load(&name("new"), 100).unwrap(), b"made");
    let entry = |text, size| Entry { name: name(text), size };
    assert_eq!(*disk.entries().unwrap(), [entry("A.DAT", 14), entry("b", 6), entry("new", 4)]);
    assert_eq!(disk.rename(&a, &b), Err(DiskError::Exists));
    assert_eq!(disk.rename(&a, &a), Err(DiskError::Exists));
    disk.rename(&a, &name("c")).unwrap();
    disk.delete(&b).unwrap();
    assert_eq!(names(disk), ["c", "new"]);
    assert_eq!(disk.load(&name("c"), 100).unwrap(), b"first and more");
}

#[test]
fn every_disk_does_the_same() {
    check_disk(&mut MemoryDisk::new());
    let (folder, mut disk) = host();
    check_disk(&mut disk);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left");
    check_disk(&mut Layered::new(MemoryDisk::new(), MemoryDisk::new()));
    let (_folder, disk) = host();
    check_disk(&mut (Box::new(Layered::new(disk, MemoryDisk::new())) as Box<dyn Disk>));
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    assert!(HostDisk::open(Path::new("no/such/folder")).is_err());
    let (folder, mut disk) = host();
    fs::write(folder.path().join("file"), "").unwrap();
    assert!(HostDisk::open(&folder.path().join("file")).is_err());
    drop(folder);
    assert_eq!(disk.save(&name("a"), b"x"), Err(DiskError::Host));
}

#[test]
fn only_plain_files_with_allowed_names_are_seen() {
    let (folder, disk) = host();
    for file in ["good", ".hidden", "with space", "\u{e9}", &"x".repeat(33)] {
        fs::write(folder.path().join(file), "x").unwrap();
    }
    fs::create_dir(folder.path().join("folder")).unwrap();
    assert_eq!(names(&disk), ["good"]);
    assert_eq!(disk.load(&name("folder"), 9), Err(DiskError::NotFound));
}

#[test]
fn a_folder_in_the_way_is_left_alone() {
    let (folder, mut disk) = host();
    fs::create_dir(folder.path().join("x")).unwrap();
    disk.save(&name("a"), b"1").unwrap();
    assert_eq!(disk.save(&name("x"), b"2"), Err(DiskError::Host));
    assert_eq!(disk.append(&name("x"), b"2"), Err(DiskError::Host));
    assert_eq!(disk.delete(&name("x")), Err(DiskError::NotFound));
    assert_eq!(disk.rename(&name("a"), &name("x")), Err(DiskError::Exists));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn left_over_temporary_files_are_not_seen_and_do_not_block() {
    let (folder, mut disk) = host();
    for number in 0..3 {
        let left_over = format!(".vc3-save-{}-{number}", std::process::id());
        fs::write(folder.path().join(left_over), "half").unwrap();
    }
    disk.save(&name("a"), b"whole").unwrap();
    assert_eq!(names(&disk), ["a"]);
    assert_eq!(disk.load(&name("a"), 9).unwrap(), b"whole");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
}

#[test]
fn a_huge_file_is_refused_without_being_read() {
    let (folder, disk) = host();
    let file = fs::File::create(folder.path().join("huge")).unwrap();
    file.set_len(5 << 30).unwrap();
    assert_eq!(disk.load(&name("huge"), 1 << 24), Err(DiskError::DoesNotFit));
    assert_eq!(disk.size(&name("huge")), Ok(u32::MAX));
}

#[test]
fn read_only_files_are_kept() {
    let (folder, mut disk) = host();
    let path = folder.path().join("a");
    fs::write(&path, "old").unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    assert_eq!(disk.save(&name("a"), b"new"), Err(DiskError::ReadOnly));
    assert_eq!(disk.append(&name("a"), b"new"), Err(DiskError::ReadOnly));
    assert_eq!(disk.delete(&name("a")), Err(DiskError::ReadOnly));
    assert_eq!(disk.rename(&name("a"), &name("b")), Err(DiskError::ReadOnly));
    assert_eq!(disk.load(&name("a"), 9).unwrap(), b"old");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_read_only_folder_cannot_be_written() {
        let (folder, mut disk) = host();
        fs::write(folder.path().join("a"), "old").unwrap();
        let set = |mode| {
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
        };
        set(0o555);
        assert_eq!(disk.save(&name("b"), b"new"), Err(DiskError::ReadOnly));
        assert_eq!(disk.append(&name("a"), b"new"), Err(DiskError::ReadOnly));
        assert_eq!(disk.delete(&name("a")), Err(DiskError::ReadOnly));
        assert_eq!(disk.load(&name("a"), 9).unwrap(), b"old");
        set(0o755);
        assert_eq!(names(&disk), ["a"]);
    }

    #[test]
    fn no_link_leads_out() {
        let outside = tempfile::tempdir().unwrap();
        let secret = outside.path().join("secret");
        fs::write(&secret, "secret").unwrap();
        let (folder, mut disk) = host();
        let inside = |file: &str| folder.path().join(file);
        symlink(&secret, inside("absolute")).unwrap();
        let up = format!("../{}/secret", outside.path().file_name().unwrap().display());
        symlink(up, inside("relative")).unwrap();
        symlink(outside.path(), inside("folder")).unwrap();
        symlink("nowhere", inside("broken")).unwrap();
        symlink("/dev/zero", inside("device")).unwrap();
        assert!(names(&disk).is_empty());
        for link in ["absolute", "relative", "folder", "broken", "device"] {
            let link = name(link);
            assert_eq!(disk.load(&link, 100), Err(DiskError::NotFound));
            assert_eq!(disk.size(&link), Err(DiskError::NotFound));
            assert_eq!(disk.delete(&link), Err(DiskError::NotFound));
            assert_eq!(disk.append(&link, b"x"), Err(DiskError::Host));
            assert_eq!(disk.rename(&link, &name("z")), Err(DiskError::NotFound));
            // saving puts a file where the link was
            disk.save(&link, b"mine").unwrap();
            assert_eq!(disk.load(&link, 100).unwrap(), b"mine");
        }
        assert_eq!(fs::read(&secret).unwrap(), b"secret");
        assert!(!inside("nowhere").exists());
    }

    #[test]
    fn a_pipe_is_no_file_and_never_waited_for() {
        let (folder, mut disk) = host();
        let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe")).status();
        if !made.is_ok_and(|status| status.success()) {
            return;
        }
        assert_eq!(disk.load(&name("pipe"), 9), Err(DiskError::NotFound));
        assert_eq!(disk.append(&name("pipe"), b"x"), Err(DiskError::Host));
        assert!(names(&disk).is_empty());
    }

    #[test]
    fn links_within_the_folder_are_files() {
        let (folder, mut disk) = host();
        disk.save(&name("real"), b"12").unwrap();
        symlink("real", folder.path().join("link")).unwrap();
        assert_eq!(disk.load(&name("link"), 9).unwrap(), b"12");
        assert_eq!(names(&disk), ["link", "real"]);
        disk.save(&name("link"), b"345").unwrap();
        assert_eq!(disk.load(&name("real"), 9).unwrap(), b"12");
    }
}

#[test]
fn shipped_files_lie_under_the_users_disk() {
    let shipped = MemoryDisk::from_files([("GAME.PRG", &b"shipped"[..]), ("B", b"b")]).unwrap();
    let mut disk = Layered::new(MemoryDisk::new(), shipped.clone());
    let game = name("GAME.PRG");
    assert_eq!(disk.load(&game, 99).unwrap(), b"shipped");
    assert_eq!(disk.load(&game, 3), Err(DiskError::DoesNotFit));
    assert_eq!(disk.delete(&game), Err(DiskError::ReadOnly));
    assert_eq!(disk.rename(&game, &name("x")), Err(DiskError::ReadOnly));
    disk.save(&name("A"), b"own").unwrap();
    assert_eq!(names(&disk), ["A", "B", "GAME.PRG"]);
    assert_eq!(disk.rename(&name("A"), &game), Err(DiskError::Exists));
    assert_eq!(disk.rename(&name("none"), &game), Err(DiskError::NotFound));
    disk.save(&game, b"own").unwrap();
    assert_eq!((disk.size(&game), names(&disk).len()), (Ok(3), 3));
    assert_eq!(disk.entries().unwrap()[2].size, 3);
    disk.delete(&game).unwrap();
    assert_eq!(disk.load(&game, 99).unwrap(), b"shipped");
    disk.append(&game, b" and own").unwrap();
    assert_eq!(disk.load(&game, 99).unwrap(), b"shipped and own");

    let mut disk = Layered::new(NoDisk, shipped);
    assert_eq!(names(&disk), ["B", "GAME.PRG"]);
    assert_eq!(disk.save(&game, b"x"), Err(DiskError::ReadOnly));
    assert_eq!(disk.append(&game, b"x"), Err(DiskError::ReadOnly));
    assert_eq!(disk.load(&game, 99).unwrap(), b"shipped");
}

#[test]
fn a_large_folder_is_not_read_again_for_every_entry() {
    let (folder, disk) = host();
    fs::write(folder.path().join("A"), "1").unwrap();
    let mut disk = Layered::new(disk, MemoryDisk::from_files([("B", &[0; 2][..])]).unwrap());
    // A folder that has just been changed is not trusted.
    sleep(Duration::from_millis(120));
    let first = disk.entries().unwrap();
    assert!(Arc::ptr_eq(&first, &disk.entries().unwrap()));

    // What the machine does shows at once, and so do the host's new names.
    let all = |disk: &Layered<HostDisk>| {
        let entries = disk.entries().unwrap();
        let entries = entries.iter().map(|entry| format!("{} {}", entry.name, entry.size));
        entries.collect::<Vec<_>>().join(", ")
    };
    disk.append(&name("A"), b"23").unwrap();
    assert_eq!(all(&disk), "A 3, B 2");
    disk.save(&name("C"), b"4").unwrap();
    assert_eq!(all(&disk), "A 3, B 2, C 1");
    sleep(Duration::from_millis(120));
    assert_eq!(all(&disk), "A 3, B 2, C 1");
    fs::write(folder.path().join("D"), "").unwrap();
    assert_eq!(all(&disk), "A 3, B 2, C 1, D 0");
    disk.rename(&name("D"), &name("E")).unwrap();
    disk.delete(&name("C")).unwrap();
    assert_eq!(all(&disk), "A 3, B 2, E 0");

    // What the folder's time does not tell shows a moment later.
    sleep(Duration::from_millis(120));
    all(&disk);
    fs::write(folder.path().join("A"), "").unwrap();
    sleep(Duration::from_secs(1));
    assert_eq!(all(&disk), "A 0, B 2, E 0");
}
