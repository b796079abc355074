//! The crate linked_list_allocator as a global allocator, as embedded-alloc has it.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::RefCell;
use core::ptr::{self, NonNull};

use critical_section::Mutex;
use linked_list_allocator::Heap;

pub struct FirstFit {
    heap: Mutex<RefCell<Heap>>,
}

impl FirstFit {
    pub const fn new() -> Self {
        Self {
            heap: Mutex::new(RefCell::new(Heap::empty())),
        }
    }

    pub fn init(&self, memory: &'static mut [u8]) {
        critical_section::with(|section| {
            // SAFETY: the memory is the heap's from now on.
            unsafe {
                self.heap
                    .borrow_ref_mut(section)
                    .init(memory.as_mut_ptr(), memory.len())
            }
        });
    }

    pub fn free(&self) -> usize {
        critical_section::with(|section| self.heap.borrow_ref(section).free())
    }
}

// SAFETY: one call at a time.
unsafe impl GlobalAlloc for FirstFit {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        critical_section::with(|section| {
            let block = self.heap.borrow_ref_mut(section).allocate_first_fit(layout);
            block.map_or(ptr::null_mut(), NonNull::as_ptr)
        })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        critical_section::with(|section| {
            // SAFETY: a block of this heap, as the caller says.
            unsafe {
                let block = NonNull::new_unchecked(block);
                self.heap.borrow_ref_mut(section).deallocate(block, layout);
            }
        });
    }
}
