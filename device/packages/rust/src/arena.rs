use core::cell::UnsafeCell;

use crate::recorder::Once;

/// Memory of a program for one user: a heap, or a recorder. It needs no code at the start.
#[repr(C, align(16))]
pub struct Arena<const BYTES: usize> {
    bytes: UnsafeCell<[u8; BYTES]>,
    taken: Once,
}

// SAFETY: only who has taken the arena touches its bytes.
unsafe impl<const BYTES: usize> Sync for Arena<BYTES> {}

impl<const BYTES: usize> Arena<BYTES> {
    /// An arena of zeros, which takes no space in a firmware's image.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            bytes: UnsafeCell::new([0; BYTES]),
            taken: Once::new(),
        }
    }

    /// The memory, for the first who asks.
    pub fn take(&'static self) -> Option<&'static mut [u8]> {
        // SAFETY: nobody else has it, as `taken` says.
        self.taken
            .first()
            .then(|| unsafe { &mut *self.bytes.get() }.as_mut_slice())
    }

    /// Where the memory begins.
    pub const fn start(&self) -> *mut u8 {
        self.bytes.get().cast()
    }

    pub(crate) const fn taken(&self) -> &Once {
        &self.taken
    }
}

impl<const BYTES: usize> Default for Arena<BYTES> {
    fn default() -> Self {
        Self::new()
    }
}
