/*
 * On Linux, `heapscope record` hears of the allocator that the crate stands in front of, as it does
 * of one that it wraps itself: it finds heapscope_wrapped_calls, which the linker has to export, and
 * sets its first field before the program starts. Elsewhere, and in a program that is not recorded,
 * the field stays NULL.
 */
#include "rust_record.h"

/* lab/native/record/include/heapscope/record_own.h describes these calls. */
typedef struct calls {
    int (*enter)(void);
    void (*leave)(void);
    void (*block)(int call, const void *block, size_t size, size_t align, uint32_t caps);
    void (*freed)(const void *block);
    void (*resize)(const void *block);
    void (*resized)(const void *block, size_t size, uint32_t caps);
    void (*task)(const char *name);
} calls_t;

/* The functions that give memory; read by the recorder in the program's file. */
__attribute__((used, section("heapscope_wrap"))) static const char functions[] = "__rust_alloc";

struct wrapped {
    const calls_t *volatile calls;
    const char *functions;
};
extern struct wrapped heapscope_wrapped_calls;
__attribute__((used, visibility("default"))) struct wrapped heapscope_wrapped_calls = {0,
                                                                                       functions};

void hs_rust_record_block(const void *block, size_t size, unsigned align_log2, bool cleared)
{
    const calls_t *calls = heapscope_wrapped_calls.calls;
    if (calls != NULL) {
        const int call = align_log2 != 0 ? 3 : cleared ? 2 : 1;
        calls->block(call, block, size, align_log2 != 0 ? (size_t)1 << align_log2 : 0, 0);
    }
}

void hs_rust_record_freed(const void *block)
{
    const calls_t *calls = heapscope_wrapped_calls.calls;
    if (calls != NULL) {
        calls->freed(block);
    }
}

void hs_rust_record_resize(const void *block)
{
    const calls_t *calls = heapscope_wrapped_calls.calls;
    if (calls != NULL) {
        calls->resize(block);
    }
}

void hs_rust_record_resized(const void *block, size_t size)
{
    const calls_t *calls = heapscope_wrapped_calls.calls;
    if (calls != NULL) {
        calls->resized(block, size, 0);
    }
}

/* The thread polls a task of that name from now on; NULL: none. */
void hs_rust_record_task(const char *name);
void hs_rust_record_task(const char *name)
{
    const calls_t *calls = heapscope_wrapped_calls.calls;
    if (calls != NULL) {
        calls->task(name);
    }
}
