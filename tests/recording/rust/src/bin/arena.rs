//! A global allocator that asks malloc for nothing.

use std::sync::Once;

use linked_list_allocator::LockedHeap;

#[cfg(not(feature = "recorded"))]
#[global_allocator]
static HEAP: Arena = Arena(LockedHeap::empty());
#[cfg(feature = "recorded")]
#[global_allocator]
static HEAP: heapscope::Recorded<Arena, 8> = heapscope::Recorded::new(Arena(LockedHeap::empty()));

static mut MEMORY: [u64; 1 << 18] = [0; 1 << 18];
static READY: Once = Once::new();

struct Arena(LockedHeap);

// SAFETY: the heap serves one call at a time.
unsafe impl std::alloc::GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
        READY.call_once(|| {
            let memory = &raw mut MEMORY;
            // SAFETY: the heap alone uses this memory.
            unsafe { self.0.lock().init(memory.cast(), size_of_val(&*memory)) };
        });
        // SAFETY: as the caller says.
        unsafe { self.0.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: std::alloc::Layout) {
        // SAFETY: as the caller says.
        unsafe { self.0.dealloc(block, layout) }
    }
}

fn main() {
    work::work();
}
