//! A trace in a ring that a debug probe reads.

use std::alloc::System;
use std::slice;

use heapscope::{Arena, Facts, Recorded, Rtt};

#[global_allocator]
static HEAP: Recorded<System, 16> = Recorded::new(System);

static EVENTS: Arena<262144> = Arena::new();
static RING: Arena<2048> = Arena::new();
static mut RTT: Rtt = Rtt::new();

#[test]
fn a_probe_finds_the_ring_and_what_does_not_fit_waits() {
    let facts = Facts::new(|| 0, 1_000_000);
    // SAFETY: here alone.
    let rtt = unsafe { &mut *(&raw mut RTT) }.begin(RING.take().unwrap());
    let name: *const Rtt = rtt;
    heapscope::open(EVENTS.take().unwrap(), &facts, rtt).unwrap();
    for size in 1..400 {
        drop(vec![1u8; size]);
    }
    while heapscope::drain(16) > 0 {}
    heapscope::flush();
    let taken = heapscope::figures().events;
    assert!(heapscope::figures().lost == 0 && taken < 2 * 400);
    assert_eq!(heapscope::drain(16), 0); // the ring is full, and nobody reads
                                         // SAFETY: the ring is not written any more; the struct begins with its name.
    unsafe {
        assert_eq!(slice::from_raw_parts(name.cast::<u8>(), 10), b"SEGGER RTT");
        let ring = slice::from_raw_parts(RING.start(), 2048);
        let last = ring.iter().rposition(|one| *one != 0);
        assert!(ring.starts_with(b"HS"));
        assert!(last > Some(2000), "{last:?} of {taken} events");
    }
}
