use core::alloc::{GlobalAlloc, Layout};
use core::ptr;

use crate::callers::callers;
use crate::recorder::{allocated, freed, reallocated, resize};

/// An allocator whose requests are recorded from [`open`](crate::open) on.
///
/// `ALIGN` is the alignment that each of its blocks has anyway: a request for more is recorded with
/// its alignment, and its realloc is an allocation, a copy and a free, which are recorded as such. A
/// critical section is held during each call, so that the order of the events is that of the calls.
pub struct Recorded<A, const ALIGN: usize = { size_of::<usize>() }> {
    inner: A,
}

impl<A, const ALIGN: usize> Recorded<A, ALIGN> {
    /// Stands in front of `inner`.
    #[must_use]
    pub const fn new(inner: A) -> Self {
        assert!(ALIGN.is_power_of_two());
        Self { inner }
    }

    /// The allocator itself, for example to give it its memory. A request of it here is not
    /// recorded.
    pub const fn inner(&self) -> &A {
        &self.inner
    }

    /// 0: every block has the alignment anyway. A block can be smaller than its alignment, and some
    /// heaps align small blocks less.
    fn align_log2(layout: Layout) -> u32 {
        let align = layout.align();
        let small = align > 4 && layout.size() < align;
        if align > ALIGN || small {
            align.ilog2()
        } else {
            0
        }
    }
}

// SAFETY: each call is handed on, with the layout that it came with.
unsafe impl<A: GlobalAlloc, const ALIGN: usize> GlobalAlloc for Recorded<A, ALIGN> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let callers = callers();
        critical_section::with(|_| {
            // SAFETY: as the caller says.
            let block = unsafe { self.inner.alloc(layout) };
            allocated(
                block,
                layout.size(),
                Self::align_log2(layout),
                false,
                callers,
            );
            block
        })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let callers = callers();
        critical_section::with(|_| {
            // SAFETY: as the caller says.
            let block = unsafe { self.inner.alloc_zeroed(layout) };
            allocated(
                block,
                layout.size(),
                Self::align_log2(layout),
                true,
                callers,
            );
            block
        })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        critical_section::with(|_| {
            freed(block);
            // SAFETY: as the caller says.
            unsafe { self.inner.dealloc(block, layout) };
        });
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let after = Layout::from_size_align(size, layout.align());
        if Self::align_log2(layout) != 0 || after.map_or(true, |one| Self::align_log2(one) != 0) {
            // SAFETY: the caller's block and sizes, for which a layout exists.
            return unsafe { moved(self, block, layout, size) };
        }
        let callers = callers();
        critical_section::with(|_| {
            resize(block);
            // SAFETY: as the caller says.
            let after = unsafe { self.inner.realloc(block, layout, size) };
            reallocated(block, after, size, callers);
            after
        })
    }
}

/// A realloc into a new block.
///
/// # Safety
///
/// The same as for [`GlobalAlloc::realloc`].
pub(crate) unsafe fn moved(
    heap: &impl GlobalAlloc,
    block: *mut u8,
    layout: Layout,
    size: usize,
) -> *mut u8 {
    let Ok(after) = Layout::from_size_align(size, layout.align()) else {
        return ptr::null_mut();
    };
    // SAFETY: the size is not 0, as the caller says; the blocks are two, of these sizes.
    unsafe {
        let target = heap.alloc(after);
        if !target.is_null() {
            ptr::copy_nonoverlapping(block, target, layout.size().min(size));
            heap.dealloc(block, layout);
        }
        target
    }
}
