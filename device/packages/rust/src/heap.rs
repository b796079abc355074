use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};
use core::ptr::{self, NonNull};

use crate::arena::Arena;
use crate::recorder::Once;

#[repr(C)]
struct RawHeap {
    _private: [u8; 0],
}

extern "C" {
    fn hs_heap_create(memory: *mut c_void, size: usize, config: *const c_void) -> *mut RawHeap;
    fn hs_heap_malloc(heap: *mut RawHeap, size: usize) -> *mut c_void;
    fn hs_heap_calloc(heap: *mut RawHeap, count: usize, size: usize) -> *mut c_void;
    fn hs_heap_aligned_alloc(
        heap: *mut RawHeap,
        alignment: usize,
        size: usize,
        offset: usize,
    ) -> *mut c_void;
    fn hs_heap_realloc(heap: *mut RawHeap, block: *mut c_void, size: usize) -> *mut c_void;
    fn hs_heap_free(heap: *mut RawHeap, block: *mut c_void) -> c_int;
    fn hs_heap_free_size(heap: *const RawHeap) -> usize;
    fn hs_heap_minimum_free(heap: *const RawHeap) -> usize;
    fn hs_heap_largest(heap: *const RawHeap) -> usize;
    fn hs_heap_check(heap: *const RawHeap, place: *mut *const c_void) -> c_int;
}

/// Blocks have this alignment, but for those of at most 4 bytes.
const ALIGNMENT: usize = 8;
/// Blocks of any size have this one.
const ALIGNMENT_OF_ALL: usize = 4;

struct State {
    heap: *mut RawHeap,
    memory: *mut u8,
    size: usize,
    taken: Option<&'static Once>,
}

/// Heapscope's heap on one piece of memory. Used blocks have no header, and each call takes a time
/// with a bound. A critical section is held during each call.
///
/// Its blocks are aligned to 8, so that [`Recorded`](crate::Recorded) is given that number:
/// `Recorded<Heap, 8>`.
pub struct Heap {
    state: UnsafeCell<State>,
}

// SAFETY: the state is touched in critical sections alone.
unsafe impl Sync for Heap {}
// SAFETY: nothing of it belongs to a thread.
unsafe impl Send for Heap {}

impl Heap {
    /// A heap without memory, whose requests all fail until [`Heap::init`].
    #[must_use]
    pub const fn new() -> Self {
        Self::of(ptr::null_mut(), 0, None)
    }

    /// A heap on an arena, ready before the program begins. It takes the arena with the first
    /// request; where that has been taken before, all requests fail.
    #[must_use]
    pub const fn on<const BYTES: usize>(arena: &'static Arena<BYTES>) -> Self {
        Self::of(arena.start(), BYTES, Some(arena.taken()))
    }

    const fn of(memory: *mut u8, size: usize, taken: Option<&'static Once>) -> Self {
        let heap = ptr::null_mut();
        Self {
            state: UnsafeCell::new(State {
                heap,
                memory,
                size,
                taken,
            }),
        }
    }

    /// Gives the heap its memory. False: it has some already, or this is too small.
    pub fn init(&self, memory: &'static mut [u8]) -> bool {
        critical_section::with(|_| {
            if self.with(|heap| heap.is_some()) {
                return false;
            }
            // SAFETY: the memory is the caller's, for good.
            unsafe { self.init_raw(memory.as_mut_ptr(), memory.len()) };
            self.with(|heap| heap.is_some())
        })
    }

    /// Gives the heap `size` bytes at `memory`, for example those between two symbols of the linker.
    /// Nothing happens where it has memory already.
    ///
    /// # Safety
    ///
    /// The bytes may be written, and nobody else uses them from now on.
    pub unsafe fn init_raw(&self, memory: *mut u8, size: usize) {
        critical_section::with(|_| {
            // SAFETY: in a critical section.
            let state = unsafe { &mut *self.state.get() };
            if state.heap.is_null() && state.memory.is_null() {
                (state.memory, state.size) = (memory, size);
            }
        });
    }

    /// Bytes in free blocks.
    pub fn free(&self) -> usize {
        // SAFETY: a heap that was created.
        self.with(|heap| heap.map_or(0, |heap| unsafe { hs_heap_free_size(heap.as_ptr()) }))
    }

    /// The least that was free so far.
    pub fn minimum_free(&self) -> usize {
        // SAFETY: as above.
        self.with(|heap| heap.map_or(0, |heap| unsafe { hs_heap_minimum_free(heap.as_ptr()) }))
    }

    /// The largest request that would be served now.
    pub fn largest(&self) -> usize {
        // SAFETY: as above.
        self.with(|heap| heap.map_or(0, |heap| unsafe { hs_heap_largest(heap.as_ptr()) }))
    }

    /// Whether all of the heap's data agree with each other. It walks all blocks.
    pub fn is_sound(&self) -> bool {
        // SAFETY: as above; the place may be NULL.
        self.with(|heap| {
            heap.map_or(
                true,
                |heap| unsafe { hs_heap_check(heap.as_ptr(), ptr::null_mut()) } == 0,
            )
        })
    }

    fn with<R>(&self, work: impl FnOnce(Option<NonNull<RawHeap>>) -> R) -> R {
        critical_section::with(|_| {
            // SAFETY: in a critical section, which `work` does not leave.
            let state = unsafe { &mut *self.state.get() };
            if state.heap.is_null() && !state.memory.is_null() {
                if state.taken.map_or(true, Once::first) {
                    // SAFETY: whoever named the memory gave it away.
                    state.heap =
                        unsafe { hs_heap_create(state.memory.cast(), state.size, ptr::null()) };
                }
                state.memory = if state.heap.is_null() {
                    ptr::null_mut()
                } else {
                    state.memory
                };
            }
            work(NonNull::new(state.heap))
        })
    }
}

impl Default for Heap {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether every block of that size has the layout's alignment.
fn is_plain(align: usize, size: usize) -> bool {
    align <= ALIGNMENT_OF_ALL || (align <= ALIGNMENT && size > ALIGNMENT_OF_ALL)
}

// SAFETY: the blocks are those of a heap that serves one request at a time.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (align, size) = (layout.align(), layout.size());
        self.with(|heap| {
            let Some(heap) = heap else {
                return ptr::null_mut();
            };
            // SAFETY: a heap that was created.
            let block = unsafe {
                if is_plain(align, size) {
                    hs_heap_malloc(heap.as_ptr(), size)
                } else {
                    hs_heap_aligned_alloc(heap.as_ptr(), align, size, 0)
                }
            };
            block.cast()
        })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !is_plain(layout.align(), layout.size()) {
            // SAFETY: as the caller says.
            let block = unsafe { self.alloc(layout) };
            if !block.is_null() {
                // SAFETY: the block has that size.
                unsafe { ptr::write_bytes(block, 0, layout.size()) };
            }
            return block;
        }
        self.with(|heap| {
            let Some(heap) = heap else {
                return ptr::null_mut();
            };
            // SAFETY: a heap that was created.
            unsafe { hs_heap_calloc(heap.as_ptr(), 1, layout.size()) }.cast()
        })
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        self.with(|heap| {
            if let Some(heap) = heap {
                // SAFETY: a block of this heap, as the caller says; another address is refused.
                unsafe { hs_heap_free(heap.as_ptr(), block.cast()) };
            }
        });
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if is_plain(layout.align(), layout.size()) && is_plain(layout.align(), size) {
            return self.with(|heap| {
                let Some(heap) = heap else {
                    return ptr::null_mut();
                };
                // SAFETY: as the caller says.
                unsafe { hs_heap_realloc(heap.as_ptr(), block.cast(), size) }.cast()
            });
        }
        // SAFETY: the caller's block and sizes, for which a layout exists.
        unsafe { crate::recorded::moved(self, block, layout, size) }
    }
}
