//! Requests of each kind, with sizes that nothing else has.

use std::future::Future;
use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::thread;

#[repr(align(64))]
pub struct Aligned([u8; 64]);

pub fn work() {
    let plain = black_box(Box::new([1u8; 70001]));
    let cleared = black_box(vec![0u8; 70002]);
    let mut grown: Vec<u8> = black_box(Vec::with_capacity(70003));
    grown.reserve_exact(70013);
    let mut aligned: Vec<Aligned> = black_box(Vec::with_capacity(1100));
    aligned.push(Aligned([5; 64]));
    aligned.reserve_exact(1200);
    assert!(black_box(Vec::<u8>::new())
        .try_reserve_exact(isize::MAX as usize - 64)
        .is_err());
    let other = thread::Builder::new().name("other".into());
    let handle = other
        .spawn(|| black_box(vec![6u8; 70006]).len())
        .expect("a thread");
    assert_eq!(handle.join().expect("it ends"), 70006);
    let named = pin!(heapscope::task(c"named", async {
        black_box(vec![7u8; 70007]).len()
    }));
    let polled = named.poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(polled, Poll::Ready(70007));
    let after = black_box(vec![8u8; 70008]).len();
    assert_eq!(after, 70008);
    let sum = plain[0] as usize + cleared[1] as usize + grown.len();
    assert_eq!(sum + aligned[0].0[63] as usize, 6);
}
