/* The recorder's port to Rust (HS_RECORDER_PORT). The crate holds a critical section around each
 * hook, so that one ring serves all cores and threads; the drain reads that ring beside it. */
#ifndef HEAPSCOPE_RUST_PORT_H
#define HEAPSCOPE_RUST_PORT_H

#include <stdint.h>

/* Defined by the crate. */
uint32_t hs_rust_clock(void);
uintptr_t hs_rust_task(void);

#define HS_RECORDER_CLOCK() hs_rust_clock()
#define HS_RECORDER_TASK() hs_rust_task()

/* 1: the processor has atomics of 32 bits, so that the drain may run on another core than a hook. */
#ifndef HS_RUST_ATOMIC
#define HS_RUST_ATOMIC 0
#endif
#if HS_RUST_ATOMIC
#define HS_RECORDER_LOAD(word) __atomic_load_n((word), __ATOMIC_ACQUIRE)
#define HS_RECORDER_STORE(word, value) __atomic_store_n((word), (value), __ATOMIC_RELEASE)
#endif

#endif
