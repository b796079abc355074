use core::cell::UnsafeCell;
use core::ffi::{c_char, c_uint, c_void, CStr};
use core::fmt;
use core::ptr;
use core::slice;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::callers::Callers;
use crate::sinks::Sink;

/// HS_SINK_BROKEN
const BROKEN: usize = usize::MAX;

type Write = unsafe extern "C" fn(*mut c_void, *const u8, usize) -> usize;

#[repr(C)]
struct RawFacts {
    chip: *const c_char,
    sdk: *const c_char,
    program: *const c_char,
    boot: u32,
    clock_hz: u32,
    address_shift: u8,
}

/// Counts of a recorder.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Events that were taken out of the ring.
    pub events: u32,
    /// Events that found the ring full. The trace says where they are missing.
    pub lost: u32,
    left_out: u32,
    cancelled: u32,
    snapshots: u32,
    /// Pieces of the trace that the sink took.
    pub chunks: u32,
    level: c_uint,
}

extern "C" {
    #[cfg(all(feature = "std", target_os = "linux"))]
    fn hs_rust_record_task(name: *const c_char);
    fn hs_rust_open(
        memory: *mut c_void,
        size: usize,
        write: Write,
        context: *mut c_void,
        facts: *const RawFacts,
    ) -> bool;
    fn hs_rust_overhead() -> usize;
    fn hs_rust_allocated(
        block: *const u8,
        size: usize,
        align_log2: c_uint,
        cleared: bool,
        callers: Callers,
    );
    fn hs_rust_resize(block: *const u8);
    fn hs_rust_reallocated(before: *const u8, after: *const u8, size: usize, callers: Callers);
    fn hs_rust_freed(block: *const u8);
    fn hs_rust_mark(name: *const c_char);
    fn hs_rust_drain(events: usize) -> usize;
    fn hs_rust_flush() -> bool;
    fn hs_rust_figures(out: *mut Figures);
}

/// The facts of a program that its trace names. `Facts::new` fills in what is not known.
#[derive(Clone, Copy)]
pub struct Facts {
    /// The chip, as Heapscope names it: `c"esp32c3"`.
    pub chip: Option<&'static CStr>,
    /// The kit and its release.
    pub sdk: Option<&'static CStr>,
    /// The program and its release.
    pub program: Option<&'static CStr>,
    /// The identity of this boot: a counter or a random number, not 0.
    pub boot: u32,
    /// A clock that goes round, and its ticks a second.
    pub clock: fn() -> u32,
    /// The same.
    pub clock_hz: u32,
    /// Addresses are multiples of 2 to this power: 2, or 0 where the allocator aligns less than 4.
    pub address_shift: u8,
    /// The highest address of the stack, up to which the feature `callers` follows frames; 0: it
    /// follows none. A program with several stacks has 0.
    pub stack_top: usize,
}

impl Facts {
    /// Nothing but a clock is known.
    #[must_use]
    pub const fn new(clock: fn() -> u32, clock_hz: u32) -> Self {
        Self {
            chip: None,
            sdk: None,
            program: None,
            boot: 1,
            clock,
            clock_hz,
            address_shift: 2,
            stack_top: 0,
        }
    }
}

/// Why a recorder could not be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenError {
    /// A program has one recorder, and it is open.
    Open,
    /// The memory has no room for 16 events beside [`overhead`], or a fact cannot be.
    Refused,
}

impl fmt::Display for OpenError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Open => "the recorder is open already",
            Self::Refused => "the memory is too small for a recorder, or a fact cannot be",
        })
    }
}

/// A door that lets one through. Processors without an atomic exchange have it, too.
pub struct Once {
    passed: AtomicBool,
}

impl Once {
    pub(crate) const fn new() -> Self {
        Self {
            passed: AtomicBool::new(false),
        }
    }

    pub(crate) fn first(&self) -> bool {
        critical_section::with(|_| {
            let before = self.passed.load(Ordering::Acquire);
            self.passed.store(true, Ordering::Release);
            !before
        })
    }

    fn reset(&self) {
        self.passed.store(false, Ordering::Release);
    }
}

struct Clock(UnsafeCell<fn() -> u32>);
// SAFETY: written before the recorder is opened, and read by its hooks, both in critical sections.
unsafe impl Sync for Clock {}

static OPENED: Once = Once::new();
static DRAINS: Once = Once::new();
static CLOCK: Clock = Clock(UnsafeCell::new(|| 0));
static STACK_TOP: AtomicUsize = AtomicUsize::new(0);

/// Begins a trace in `memory`, which holds the events until [`drain`] hands them to `sink`: 32 bytes
/// each on a chip of 32 bits, and [`overhead`] bytes. Blocks that are live already are not in it, and the
/// trace says so.
///
/// # Errors
///
/// The recorder is open, or the memory does not suffice.
pub fn open<S: Sink>(
    memory: &'static mut [u8],
    facts: &Facts,
    sink: &'static mut S,
) -> Result<(), OpenError> {
    if !OPENED.first() {
        return Err(OpenError::Open);
    }
    let text = |one: Option<&'static CStr>| one.map_or(ptr::null(), CStr::as_ptr);
    let raw = RawFacts {
        chip: text(facts.chip),
        sdk: text(facts.sdk),
        program: text(facts.program),
        boot: facts.boot,
        clock_hz: facts.clock_hz,
        address_shift: facts.address_shift,
    };
    let skipped = memory.as_ptr().align_offset(8).min(memory.len());
    let memory = &mut memory[skipped..];
    STACK_TOP.store(facts.stack_top, Ordering::Relaxed);
    let opened = critical_section::with(|_| {
        // SAFETY: the clock is written before any hook can read it; memory and sink are the
        // recorder's from now on, and `write` is of the sink's type.
        unsafe {
            *CLOCK.0.get() = facts.clock;
            let context: *mut S = sink;
            let bytes = memory.as_mut_ptr().cast();
            hs_rust_open(bytes, memory.len(), write::<S>, context.cast(), &raw)
        }
    });
    if !opened {
        OPENED.reset();
        return Err(OpenError::Refused);
    }
    Ok(())
}

/// Bytes that a recorder takes beside its events.
#[must_use]
pub fn overhead() -> usize {
    // SAFETY: a constant.
    unsafe { hs_rust_overhead() }
}

/// Hands at most `events` to the sink, in their order; returns how many. 0: no event waits, the sink
/// takes nothing, or another drain is running. Call it from an idle task, or from a task of its own.
pub fn drain(events: usize) -> usize {
    // SAFETY: this is the only drain.
    one_drain(|| unsafe { hs_rust_drain(events) }).unwrap_or(0)
}

/// Sends the events that were drained and wait for others. False: the sink does not take them now.
pub fn flush() -> bool {
    // SAFETY: as above.
    one_drain(|| unsafe { hs_rust_flush() }).unwrap_or(false)
}

fn one_drain<R>(work: impl FnOnce() -> R) -> Option<R> {
    DRAINS.first().then(|| {
        let result = work();
        DRAINS.reset();
        result
    })
}

/// A named point of the program's run.
pub fn mark(name: &'static CStr) {
    // SAFETY: a text that stays.
    critical_section::with(|_| unsafe { hs_rust_mark(name.as_ptr()) });
}

/// The recorder's counts; all 0 before it is open.
#[must_use]
pub fn figures() -> Figures {
    let mut figures = Figures::default();
    // SAFETY: the struct is the recorder's.
    critical_section::with(|_| unsafe { hs_rust_figures(&mut figures) });
    figures
}

#[cfg(feature = "callers")]
pub(crate) fn stack_top() -> usize {
    STACK_TOP
        .load(Ordering::Relaxed)
        .max(2 * size_of::<usize>())
}

// ---- hooks, in a critical section ----

pub(crate) fn allocated(
    block: *const u8,
    size: usize,
    align_log2: u32,
    cleared: bool,
    callers: Callers,
) {
    #[cfg(all(feature = "std", target_os = "linux"))]
    let _ = crate::task::LISTENER.set(hs_rust_record_task);
    // SAFETY: the pointer is a number for the recorder.
    unsafe { hs_rust_allocated(block, size, align_log2, cleared, callers) };
}

pub(crate) fn resize(block: *const u8) {
    // SAFETY: as above.
    unsafe { hs_rust_resize(block) };
}

pub(crate) fn reallocated(before: *const u8, after: *const u8, size: usize, callers: Callers) {
    // SAFETY: as above.
    unsafe { hs_rust_reallocated(before, after, size, callers) };
}

pub(crate) fn freed(block: *const u8) {
    // SAFETY: as above.
    unsafe { hs_rust_freed(block) };
}

// ---- called by C ----

#[no_mangle]
extern "C" fn hs_rust_clock() -> u32 {
    // SAFETY: as Clock says.
    unsafe { (*CLOCK.0.get())() }
}

unsafe extern "C" fn write<S: Sink>(context: *mut c_void, bytes: *const u8, count: usize) -> usize {
    // SAFETY: the sink that `open` was given, which only the one drain uses.
    let (sink, bytes) = unsafe {
        (
            &mut *context.cast::<S>(),
            slice::from_raw_parts(bytes, count),
        )
    };
    sink.write(bytes).map_or(BROKEN, |taken| taken.min(count))
}
