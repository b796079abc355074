/* The allocators that a program brings along, as the wrap object tells of them
 * (include/heapscope/record_own.h). */
#include "own.h"

#include "heapscope/record.h"
#include "heapscope/record_own.h"

#include "session.h"
#include "stack.h"

static void put(unsigned kind, uint64_t a, uint64_t b, uint64_t c, unsigned align)
{
    hs_rec_thread.telling = 1;
    hs_rec_put(kind, a, b, c, align);
    hs_rec_thread.telling = 0;
}

static uint64_t origin_of(const void *frame, uint32_t caps)
{
    if (HS_REC_UNLIKELY(hs_rec_own->ring == NULL)) {
        (void)hs_rec_enter();
    }
    const uint64_t stack = hs_rec_own->frames == 0 || (hs_rec_own->modes & HS_REC_NO_OWN) != 0
                               ? 0
                               : hs_rec_stack(frame);
    return stack | (uint64_t)caps << 32;
}

static int enter(void)
{
    return hs_rec_thread.own++ == 0;
}

static void leave(void)
{
    hs_rec_thread.own--;
}

static void reported_block(heapscope_own_call_t call, const void *block, size_t size, size_t align,
                           uint32_t caps)
{
    unsigned log2 = 0;
    while (log2 < 31 && align >> log2 > 1) { /* bound: 31; Zephyr puts a flag below the alignment */
        log2++;
    }
    const uint64_t origin = origin_of(__builtin_frame_address(0), caps);
    if (block != NULL) {
        put(call, (uintptr_t)block, size, origin, log2);
    } else {
        put(HS_REC_FAILED, call, size, origin, log2);
    }
}

static void reported_free(const void *block)
{
    put(HS_REC_FREE, (uintptr_t)block, 0, 0, 0);
}

static void reported_resize(const void *block)
{
    put(HS_REC_REALLOC_BEGIN, (uintptr_t)block, 0, 0, 0);
}

static void reported_resized(const void *block, size_t size, uint32_t caps)
{
    const uint64_t origin = origin_of(__builtin_frame_address(0), caps);
    put(HS_REC_REALLOC_END, (uintptr_t)block, size, origin, 0);
}

/* ---- how the program finds them ---- */

static const heapscope_own_calls_t calls = {.enter = enter,
                                            .leave = leave,
                                            .block = reported_block,
                                            .freed = reported_free,
                                            .resize = reported_resize,
                                            .resized = reported_resized,
                                            .task = heapscope_task};

__attribute__((weak)) extern heapscope_wrapped_t heapscope_wrapped_calls;

bool hs_rec_own_is_wrapped(void)
{
    return &heapscope_wrapped_calls != NULL;
}

/* Before all constructors of a static program that have no number. */
__attribute__((constructor(101))) static void answer(void)
{
    if (hs_rec_own_is_wrapped()) {
        heapscope_wrapped_calls.calls = &calls;
    }
}
