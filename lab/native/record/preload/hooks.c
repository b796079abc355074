/*
 * The memory functions as the program calls them. A free and the start of a realloc are recorded
 * before the real call, everything else after it: another thread can be given an address only
 * between the two, so that in the order of records no address is ever used twice.
 *
 * `malloc` and its kin ask nothing for themselves; of those that may call others of the program's
 * (calloc under musl, the aligned ones) the inner calls are not recorded.
 */
#include "real.h"
#include "session.h"
#include "stack.h"

#ifdef HS_REC_LINKED
#define HOOK(name) __wrap_##name
#else
#define HOOK(name) HS_REC_HOOK(name)
#endif

#define NO_MEMORY 12    /* ENOMEM */
#define BEYOND SIZE_MAX /* is recorded of a product that no size can hold; such a call has failed */
#define BAD_ARGUMENT 22

void *HOOK(malloc)(size_t);
void *HOOK(calloc)(size_t, size_t);
void *HOOK(realloc)(void *, size_t);
void *HOOK(reallocarray)(void *, size_t, size_t);
void HOOK(free)(void *);
void *HOOK(memalign)(size_t, size_t);
void *HOOK(aligned_alloc)(size_t, size_t);
int HOOK(posix_memalign)(void **, size_t, size_t);
void *HOOK(valloc)(size_t);
void *HOOK(pvalloc)(size_t);

/* Whether the real functions are there; if not, the caller is served from the arena. */
static inline bool ready(void)
{
    return HS_REC_LIKELY(__atomic_load_n(&hs_rec_real.malloc, __ATOMIC_ACQUIRE) != NULL) ||
           hs_rec_real_find();
}

static unsigned log2_of(size_t align)
{
    unsigned log2 = 0;
    while (log2 < 31 && (size_t)1 << log2 < align) {
        log2++;
    }
    return log2;
}

#define CALLER __builtin_frame_address(0)

/* The number of the caller's stack; before the record is made, as a new stack is records too. */
static inline uint64_t stack_of(const void *caller)
{
    if (HS_REC_UNLIKELY(hs_rec_own->ring == NULL)) {
        (void)hs_rec_enter(); /* a fork's child learns here how many frames are wanted */
    }
    return HS_REC_LIKELY(hs_rec_own->frames == 0) ? 0 : hs_rec_stack(caller);
}

/* Records a request's result: a block, or that it failed. */
static inline void put_block(unsigned kind, const void *block, size_t size, unsigned align,
                             const void *caller)
{
    const uint64_t stack = stack_of(caller);
    if (HS_REC_LIKELY(block != NULL)) {
        hs_rec_put(kind, (uintptr_t)block, size, stack, align);
    } else {
        hs_rec_put(HS_REC_FAILED, kind, size, stack, align);
    }
}

HS_REC_EXPORT void *HOOK(malloc)(size_t size)
{
    if (!ready()) {
        return hs_rec_arena_take(0, size);
    }
    void *block = hs_rec_real.malloc(size);
    put_block(HS_REC_MALLOC, block, size, 0, CALLER);
    return block;
}

HS_REC_EXPORT void *HOOK(calloc)(size_t count, size_t size)
{
    size_t bytes = 0;
    const bool possible = !__builtin_mul_overflow(count, size, &bytes);
    if (!ready()) {
        return possible ? hs_rec_arena_take(0, bytes) : NULL;
    }
    void *block = NULL;
    if (gnu_get_libc_version != NULL) {
        block = hs_rec_real.calloc(count, size);
    } else { /* musl's asks malloc */
        hs_rec_inside_begin();
        block = hs_rec_real.calloc(count, size);
        hs_rec_inside_end();
    }
    put_block(HS_REC_CALLOC, block, possible ? bytes : BEYOND, 0, CALLER);
    return block;
}

HS_REC_EXPORT void HOOK(free)(void *block)
{
    if (HS_REC_UNLIKELY(block == NULL || hs_rec_arena_has(block)) || !ready()) {
        return;
    }
    hs_rec_put(HS_REC_FREE, (uintptr_t)block, 0, 0, 0);
    hs_rec_real.free(block);
}

/* A block of the arena moves into the program's memory with the first realloc. */
static void *out_of_arena(void *block, size_t size)
{
    void *moved = HOOK(malloc)(size);
    if (moved != NULL) {
        const size_t there = hs_rec_arena_size(block);
        memcpy(moved, block, there < size ? there : size);
    }
    return moved;
}

static void *request(size_t size, const void *caller)
{
    if (!ready()) {
        return hs_rec_arena_take(0, size);
    }
    void *block = hs_rec_real.malloc(size);
    put_block(HS_REC_MALLOC, block, size, 0, caller);
    return block;
}

static void *resize(void *block, size_t size, const void *caller)
{
    if (block == NULL) {
        return request(size, caller);
    }
    if (HS_REC_UNLIKELY(hs_rec_arena_has(block)) || !ready()) {
        return out_of_arena(block, size);
    }
    hs_rec_put(HS_REC_REALLOC_BEGIN, (uintptr_t)block, 0, 0, 0);
    void *moved = hs_rec_real.realloc(block, size);
    const uint64_t stack = stack_of(caller);
    hs_rec_put(HS_REC_REALLOC_END, (uintptr_t)moved, size, stack, 0);
    return moved;
}

/* A request that no size can hold fails, and leaves the block as it is. */
static void put_beyond(const void *block, const void *caller)
{
    if (block == NULL) {
        put_block(HS_REC_MALLOC, NULL, BEYOND, 0, caller);
    } else if (!hs_rec_arena_has(block)) {
        hs_rec_put(HS_REC_REALLOC_BEGIN, (uintptr_t)block, 0, 0, 0);
        const uint64_t stack = stack_of(caller);
        hs_rec_put(HS_REC_REALLOC_END, 0, BEYOND, stack, 0);
    }
}

HS_REC_EXPORT void *HOOK(realloc)(void *block, size_t size)
{
    return resize(block, size, CALLER);
}

HS_REC_EXPORT void *HOOK(reallocarray)(void *block, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        put_beyond(block, CALLER);
        *__errno_location() = NO_MEMORY;
        return NULL;
    }
    return resize(block, bytes, CALLER);
}

/* ---- with an alignment ---- */

HS_REC_EXPORT void *HOOK(memalign)(size_t align, size_t size)
{
    if (!ready()) {
        return hs_rec_arena_take(align, size);
    }
    hs_rec_inside_begin();
    void *block = hs_rec_real.memalign(align, size);
    hs_rec_inside_end();
    put_block(HS_REC_ALIGNED, block, size, log2_of(align), CALLER);
    return block;
}

HS_REC_EXPORT void *HOOK(aligned_alloc)(size_t align, size_t size)
{
    if (!ready()) {
        return hs_rec_arena_take(align, size);
    }
    hs_rec_inside_begin();
    void *block = hs_rec_real.aligned_alloc(align, size);
    hs_rec_inside_end();
    put_block(HS_REC_ALIGNED, block, size, log2_of(align), CALLER);
    return block;
}

/* By memalign, where the library has no function of this name. */
static int make_aligned(void **out, size_t align, size_t size)
{
    if (align < sizeof(void *) || (align & (align - 1)) != 0) {
        return BAD_ARGUMENT;
    }
    void *block = hs_rec_real.memalign(align, size);
    if (block == NULL) {
        return NO_MEMORY;
    }
    *out = block;
    return 0;
}

HS_REC_EXPORT int HOOK(posix_memalign)(void **out, size_t align, size_t size)
{
    if (!ready()) {
        *out = hs_rec_arena_take(align, size);
        return *out == NULL ? NO_MEMORY : 0;
    }
    hs_rec_inside_begin();
    const int status = hs_rec_real.posix_memalign != NULL
                           ? hs_rec_real.posix_memalign(out, align, size)
                           : make_aligned(out, align, size);
    hs_rec_inside_end();
    if (status != BAD_ARGUMENT) {
        put_block(HS_REC_ALIGNED, status == 0 ? *out : NULL, size, log2_of(align), CALLER);
    }
    return status;
}

static size_t page_size(void)
{
    return (size_t)getpagesize();
}

HS_REC_EXPORT void *HOOK(valloc)(size_t size)
{
    if (!ready()) {
        return hs_rec_arena_take(page_size(), size);
    }
    hs_rec_inside_begin();
    void *block = hs_rec_real.valloc != NULL ? hs_rec_real.valloc(size)
                                             : hs_rec_real.memalign(page_size(), size);
    hs_rec_inside_end();
    put_block(HS_REC_ALIGNED, block, size, log2_of(page_size()), CALLER);
    return block;
}

HS_REC_EXPORT void *HOOK(pvalloc)(size_t size)
{
    const size_t page = page_size();
    const size_t whole = size > SIZE_MAX - page ? size : (size + page - 1) / page * page;
    if (!ready()) {
        return hs_rec_arena_take(page, whole);
    }
    hs_rec_inside_begin();
    void *block =
        hs_rec_real.pvalloc != NULL ? hs_rec_real.pvalloc(size) : hs_rec_real.memalign(page, whole);
    hs_rec_inside_end();
    put_block(HS_REC_ALIGNED, block, whole, log2_of(page), CALLER);
    return block;
}
