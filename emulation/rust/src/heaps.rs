//! The heap of the firmware, by a feature: Heapscope's, or another crate's. Each has `begin`, after
//! which it serves, and says how much is free, and was at least; 0: it does not say.

use crate::MEMORY;

#[cfg(not(any(
    feature = "llff",
    feature = "tlsf",
    feature = "talc",
    feature = "buddy"
)))]
mod chosen {
    use heapscope::{Heap, Recorded};

    #[global_allocator]
    pub static HEAP: Recorded<Heap, 8> = Recorded::new(Heap::on(&super::MEMORY));

    pub fn begin() {}

    pub fn free() -> (usize, usize) {
        (HEAP.inner().free(), HEAP.inner().minimum_free())
    }
}

#[cfg(any(feature = "llff", feature = "tlsf"))]
mod chosen {
    #[cfg(feature = "llff")]
    use embedded_alloc::LlffHeap as Heap;
    #[cfg(feature = "tlsf")]
    use embedded_alloc::TlsfHeap as Heap;
    use heapscope::Recorded;

    #[global_allocator]
    pub static HEAP: Recorded<Heap> = Recorded::new(Heap::empty());

    pub fn begin() {
        let memory = super::MEMORY.take().expect("once");
        // SAFETY: the memory is the heap's from now on.
        unsafe {
            HEAP.inner()
                .init(memory.as_mut_ptr() as usize, memory.len())
        };
    }

    pub fn free() -> (usize, usize) {
        (
            if cfg!(feature = "llff") {
                HEAP.inner().free()
            } else {
                0
            },
            0,
        )
    }
}

#[cfg(feature = "talc")]
mod chosen {
    use heapscope::Recorded;
    use talc::source::Manual;
    use talc::TalcLock;

    #[global_allocator]
    pub static HEAP: Recorded<TalcLock<spinning_top::RawSpinlock, Manual>> =
        Recorded::new(TalcLock::new(Manual));

    pub fn begin() {
        let memory = super::MEMORY.take().expect("once");
        // SAFETY: the memory is the heap's from now on.
        let claimed = unsafe { HEAP.inner().lock().claim(memory.as_mut_ptr(), memory.len()) };
        assert!(claimed.is_some());
    }

    pub fn free() -> (usize, usize) {
        (0, 0)
    }
}

#[cfg(feature = "buddy")]
mod chosen {
    use buddy_system_allocator::LockedHeap;
    use heapscope::Recorded;

    #[global_allocator]
    pub static HEAP: Recorded<LockedHeap<32>> = Recorded::new(LockedHeap::empty());

    pub fn begin() {
        let memory = super::MEMORY.take().expect("once");
        // SAFETY: the memory is the heap's from now on.
        unsafe {
            HEAP.inner()
                .lock()
                .init(memory.as_mut_ptr() as usize, memory.len())
        };
    }

    pub fn free() -> (usize, usize) {
        (0, 0)
    }
}

pub use chosen::{begin, free};
