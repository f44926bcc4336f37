//! Machine time against the host's: `--speed`, and what idling costs.

use std::time::{Duration, Instant};

use crate::pty::Session;
use crate::{fixture, play, vc3};

/// How long a fixture plays at a speed.
fn time(name: &str, speed: &str) -> Duration {
    let start = Instant::now();
    let file = fixture(name);
    let mut session = Session::start(
        vc3(),
        ["run".as_ref(), file.as_os_str(), "--speed".as_ref(), speed.as_ref()],
    );
    session.wait_until_ended();
    let elapsed = start.elapsed();
    assert_eq!(session.wait_exit(), 0);
    elapsed
}

#[test]
fn frames_are_waited_for_unless_at_top_speed() {
    // 90 frames are a second and a half.
    let auto = time("frames.sda", "auto");
    assert!(auto > Duration::from_millis(1400), "{auto:?}");
    let real = time("frames.sda", "real");
    assert!(real > Duration::from_millis(1400), "{real:?}");
    let max = time("frames.sda", "max");
    assert!(max < auto, "{max:?} at top speed, {auto:?} in real time");
}

#[test]
fn computing_is_paced_only_when_asked() {
    // 1,280,000 units are a second.
    let real = time("compute.sda", "real");
    assert!(real > Duration::from_millis(900), "{real:?}");
    let half = time("compute.sda", "2");
    assert!(half > Duration::from_millis(450), "{half:?}");
    let auto = time("compute.sda", "auto");
    assert!(auto < real, "{auto:?} flat out, {real:?} in real time");
}

#[test]
#[cfg(target_os = "linux")]
fn waiting_for_a_key_costs_next_to_nothing() {
    let session = play("keys.sda");
    session.wait_for("ready>");
    session.wait_settled();
    let before = session.processor_ticks();
    std::thread::sleep(Duration::from_secs(1));
    let used = session.processor_ticks() - before;
    // Ticks are hundredths of a second.
    assert!(used < 15, "{used} ticks in a second");
}
