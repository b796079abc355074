//! Finds where the RAM of a microcontroller goes: an allocator that records another one, and a heap
//! whose calls take a bounded time. Neither needs `std`.
//!
//! * [`Recorded`] stands in front of any [`GlobalAlloc`](core::alloc::GlobalAlloc) and records each
//!   request with its layout, task and, with the feature `callers`, call stack. [`open`] begins a
//!   trace and [`drain`] sends it into a [`Sink`]: a UART, RTT, lines of a log, a file.
//! * [`Heap`] is Heapscope's heap as a global allocator.
//!
//! ```
//! use heapscope::{Arena, Heap, Recorded};
//!
//! static ARENA: Arena<65536> = Arena::new();
//! #[global_allocator]
//! static HEAP: Recorded<Heap, 8> = Recorded::new(Heap::on(&ARENA));
//!
//! fn main() {
//!     let list: Vec<u32> = (0..100).collect();
//!     assert!(HEAP.inner().minimum_free() < 65536 - 400);
//!     drop(list);
//! }
//! ```
//!
//! The trace is read by the program of the same name, which replays it on exact copies of allocators.
#![no_std]
#![warn(missing_docs, unsafe_op_in_unsafe_fn)]

#[cfg(feature = "std")]
extern crate std;

mod arena;
mod callers;
mod heap;
mod recorded;
mod recorder;
mod sinks;
mod task;

pub use arena::Arena;
pub use heap::Heap;
pub use recorded::Recorded;
pub use recorder::{drain, figures, flush, mark, open, overhead, Facts, Figures, OpenError};
#[cfg(feature = "std")]
pub use sinks::FileSink;
pub use sinks::{Bytes, HexLines, Rtt, Sink};
pub use task::{task, Task};
