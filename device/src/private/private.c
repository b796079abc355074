/* One heap on one memory, with its control data at the start of it. */
#include "heapscope/private.h"

#include "heapscope/assert.h"

#if HS_PRIVATE

/* Only 32-bit words and pointers: the struct may live in memory that faults on byte access. */
struct hs_private {
    hs_heap_t *heap;
#if HS_GUARD
    hs_guard_t guard; /* guard.heap NULL: none */
#endif
    const char *name;
    void *memory;
    size_t size;
    hs_source_t source; /* release NULL: the memory is the caller's */
    void (*lock)(void *context);
    void (*unlock)(void *context);
    bool (*full)(void *context, const hs_private_failure_t *failure);
    void *context;
    size_t total;
    uint32_t blocks;
    uint32_t failures;
    uint32_t misuse;
    size_t failed_size;
    size_t failed_largest;
};

/* A request, kept so that it can be made twice. */
typedef struct hs_request {
    void *block; /* to be resized, or NULL */
    size_t size;
    size_t alignment; /* 0: the heap's own */
    bool cleared;
} hs_request_t;

#if HS_GUARD
static const hs_tag_t nobody = {HS_OWNER_NONE, NULL};

static bool is_guarded(const hs_private_t *heap)
{
    return heap->guard.heap != NULL;
}
#define HS_GUARDED(heap, guarded, plain) (is_guarded(heap) ? (guarded) : (plain))
#else
#define HS_GUARDED(heap, guarded, plain) (plain)
#endif

/* ---- the heap, guarded or not ----------------------------------------------------------------- */

static void *serve(hs_private_t *heap, const hs_request_t *request)
{
    const size_t size = request->size;
    if (request->block != NULL) {
        return HS_GUARDED(heap, hs_guard_realloc(&heap->guard, request->block, size, nobody),
                          hs_heap_realloc(heap->heap, request->block, size));
    }
    if (request->alignment != 0) {
        const size_t alignment = request->alignment;
        return HS_GUARDED(heap, hs_guard_aligned_alloc(&heap->guard, alignment, size, 0, nobody),
                          hs_heap_aligned_alloc(heap->heap, alignment, size, 0));
    }
    if (request->cleared) {
        return HS_GUARDED(heap, hs_guard_calloc(&heap->guard, 1, size, nobody),
                          hs_heap_calloc(heap->heap, 1, size));
    }
    return HS_GUARDED(heap, hs_guard_malloc(&heap->guard, size, nobody),
                      hs_heap_malloc(heap->heap, size));
}

static size_t usable_size(const hs_private_t *heap, const void *block)
{
    return HS_GUARDED(heap, hs_guard_usable_size(&heap->guard, block),
                      hs_heap_usable_size(heap->heap, block));
}

static bool fits(const hs_private_t *heap, size_t alignment, size_t size)
{
    return HS_GUARDED(heap, hs_guard_fits(&heap->guard, alignment, size, 0),
                      hs_heap_fits(heap->heap, alignment, size, 0));
}

static size_t largest(const hs_private_t *heap)
{
    return HS_GUARDED(heap, hs_guard_largest(&heap->guard), hs_heap_largest(heap->heap));
}

/* Was a resize refused for another reason than want of room: no block, or a damaged one? */
static bool is_misuse(const hs_private_t *heap, const hs_request_t *request)
{
    return request->block != NULL &&
           (usable_size(heap, request->block) == 0 || fits(heap, 1, request->size));
}

/* ---- life ------------------------------------------------------------------------------------- */

static void take_lock(const hs_private_t *heap)
{
    if (heap->lock != NULL) {
        heap->lock(heap->context);
    }
}

static void give_lock(const hs_private_t *heap)
{
    if (heap->unlock != NULL) {
        heap->unlock(heap->context);
    }
}

/* The control data at the start of `memory`, and the heap behind them. */
static hs_private_t *lay_out(void *memory, const hs_private_config_t *config)
{
    const uintptr_t unit = _Alignof(struct hs_private);
    const uintptr_t start = ((uintptr_t)memory + unit - 1) & ~(unit - 1);
    const uintptr_t front = start - (uintptr_t)memory + sizeof(hs_private_t);
    if (config->size <= front) {
        return NULL;
    }
    hs_private_t *const heap = (hs_private_t *)start;
    hs_heap_t *const inner = hs_heap_create(heap + 1, config->size - front, &config->heap);
    if (inner == NULL) {
        return NULL;
    }
    heap->heap = inner;
#if HS_GUARD
    heap->guard.heap = NULL;
    if (config->guard != NULL && hs_guard_init(&heap->guard, inner, config->guard) != HS_OK) {
        return NULL;
    }
#endif
    return heap;
}

hs_private_t *hs_private_create(const hs_private_config_t *config)
{
    const hs_source_t *const source = config->memory == NULL ? config->source : NULL;
    if ((config->lock == NULL) != (config->unlock == NULL) ||
        (config->memory == NULL && source == NULL) || (!HS_GUARD && config->guard != NULL)) {
        return NULL;
    }
    void *const memory =
        source == NULL ? config->memory : source->allocate(source->context, config->size);
    hs_private_t *const heap = memory != NULL ? lay_out(memory, config) : NULL;
    if (heap == NULL) {
        if (memory != NULL && source != NULL) {
            source->release(source->context, memory, config->size);
        }
        return NULL;
    }
    heap->name = config->name != NULL ? config->name : "private";
    heap->memory = memory;
    heap->size = config->size;
    heap->source.allocate = NULL;
    heap->source.release = source != NULL ? source->release : NULL;
    heap->source.context = source != NULL ? source->context : NULL;
    heap->lock = config->lock;
    heap->unlock = config->unlock;
    heap->full = config->full;
    heap->context = config->context;
    heap->total = hs_heap_free_size(heap->heap);
    heap->blocks = 0;
    heap->failures = 0;
    heap->misuse = 0;
    heap->failed_size = 0;
    heap->failed_largest = 0;
    return heap;
}

void hs_private_destroy(hs_private_t *heap)
{
    if (heap != NULL && heap->source.release != NULL) {
        heap->source.release(heap->source.context, heap->memory, heap->size);
    }
}

/* ---- blocks ----------------------------------------------------------------------------------- */

/* One attempt under the lock. NULL with a failure of size 0: refused as misuse, counted. */
static void *attempt(hs_private_t *heap, const hs_request_t *request, hs_private_failure_t *failure)
{
    take_lock(heap);
    void *const block = serve(heap, request);
    if (block != NULL) {
        heap->blocks += request->block == NULL ? 1u : 0u;
    } else if (is_misuse(heap, request)) {
        heap->misuse++;
        failure->size = 0;
    } else {
        *failure = (hs_private_failure_t){request->size, request->alignment, largest(heap),
                                          hs_heap_free_size(heap->heap)};
    }
    give_lock(heap);
    return block;
}

static void note_failure(hs_private_t *heap, const hs_private_failure_t *failure)
{
    take_lock(heap);
    heap->failures++;
    heap->failed_size = failure->size;
    heap->failed_largest = failure->largest;
    give_lock(heap);
}

/* A request of a size that is not 0: made, and once more if `full` says so. */
static void *request(hs_private_t *heap, const hs_request_t *wanted)
{
    hs_private_failure_t failure;
    void *block = attempt(heap, wanted, &failure);
    if (block == NULL && failure.size != 0 && heap->full != NULL &&
        heap->full(heap->context, &failure)) {
        block = attempt(heap, wanted, &failure);
    }
    if (block == NULL && failure.size != 0) {
        note_failure(heap, &failure);
    }
    return block;
}

void *hs_private_malloc(hs_private_t *heap, size_t size)
{
    const hs_request_t wanted = {.size = size};
    return size != 0 ? request(heap, &wanted) : NULL;
}

void *hs_private_calloc(hs_private_t *heap, size_t count, size_t size)
{
    const bool overflows = size != 0 && count > SIZE_MAX / size;
    const hs_request_t wanted = {.size = overflows ? SIZE_MAX : count * size, .cleared = true};
    return wanted.size != 0 ? request(heap, &wanted) : NULL;
}

void *hs_private_aligned_alloc(hs_private_t *heap, size_t alignment, size_t size)
{
    const hs_request_t wanted = {.size = size, .alignment = alignment};
    const bool possible =
        alignment != 0 && (alignment & (alignment - 1)) == 0 && alignment <= HS_ALIGNMENT_MAX;
    return possible && size != 0 ? request(heap, &wanted) : NULL;
}

void *hs_private_realloc(hs_private_t *heap, void *block, size_t size)
{
    const hs_request_t wanted = {.block = block, .size = size};
    if (size == 0) {
        (void)hs_private_free(heap, block);
        return NULL;
    }
    return request(heap, &wanted);
}

hs_status_t hs_private_free(hs_private_t *heap, void *block)
{
    if (block == NULL) {
        return HS_OK;
    }
    take_lock(heap);
    const hs_status_t status =
        HS_GUARDED(heap, hs_guard_free(&heap->guard, block), hs_heap_free(heap->heap, block));
    if (status == HS_OK) {
        HS_ASSERT(heap->blocks != 0);
        heap->blocks--;
    } else {
        heap->misuse++;
    }
    give_lock(heap);
    return status;
}

size_t hs_private_usable_size(hs_private_t *heap, const void *block)
{
    take_lock(heap);
    const size_t size = usable_size(heap, block);
    give_lock(heap);
    return size;
}

bool hs_private_fits(hs_private_t *heap, size_t alignment, size_t size)
{
    take_lock(heap);
    const bool would = fits(heap, alignment, size);
    give_lock(heap);
    return would;
}

hs_status_t hs_private_check(hs_private_t *heap)
{
    const void *where;
    take_lock(heap);
    const hs_status_t status =
        HS_GUARDED(heap, hs_guard_check(&heap->guard), hs_heap_check(heap->heap, &where));
    give_lock(heap);
    return status;
}

/* ---- figures ---------------------------------------------------------------------------------- */

void hs_private_info(hs_private_t *heap, hs_private_info_t *info)
{
    take_lock(heap);
    const size_t free = hs_heap_free_size(heap->heap);
    HS_ASSERT(free <= heap->total && hs_heap_minimum_free(heap->heap) <= free);
    info->size = heap->size;
    info->control = heap->size - heap->total;
    info->total = heap->total;
    info->used = heap->total - free;
    info->free = free;
    info->largest = largest(heap);
    info->peak = heap->total - hs_heap_minimum_free(heap->heap);
    /* A heap's size in percent fits into 32 bits: HS_WIDE_MAX is 32 MB. */
    info->fragmentation = free == 0 ? 0 : 100 - (uint32_t)(100 * info->largest / free);
    info->blocks = heap->blocks;
    info->failures = heap->failures;
    info->failed_size = heap->failed_size;
    info->failed_largest = heap->failed_largest;
    info->misuse = heap->misuse;
    give_lock(heap);
}

const char *hs_private_name(const hs_private_t *heap)
{
    return heap->name;
}

/* ---- as a source ------------------------------------------------------------------------------ */

static void *source_allocate(void *context, size_t size)
{
    /* A guard may align payloads to 4 bytes, which is a pointer's alignment on a chip. */
    return sizeof(void *) > 4 ? hs_private_aligned_alloc(context, sizeof(void *), size)
                              : hs_private_malloc(context, size);
}

static void source_release(void *context, void *block, size_t size)
{
    (void)size;
    (void)hs_private_free(context, block);
}

hs_source_t hs_private_source(hs_private_t *heap)
{
    return (hs_source_t){source_allocate, source_release, heap};
}

#endif
