/*
 * The heap that ships on chips, on the host copy of a region: no model of it but the heap itself.
 * Its control data lie in the region and hold no pointer, so that a copy of the bytes is a copy of
 * the heap. It aligns addresses; for the same answers as on the chip, the host copy lies where the
 * region does, modulo the largest alignment that matters. Canaries follow from places in the heap, so
 * they are those of the chip, too.
 *
 * Every block goes through the guard's calls, as on the chip (device/src/regions); what the guard adds
 * to a block, owner included, is inside the heap's block.
 *
 * It counts no steps: of it there are instructions (docs/reference/allocators.md). Bytes that a
 * moving realloc copies are known, and counted.
 */
#include "allocators/heapscope.h"

#include "heapscope/guard.h"
#include "region.h"
#include "seen.h"

#define SLOTS_BELOW 64u /* bytes; larger blocks are no slots */
#define OWNER 1u        /* any: its number changes no place */

typedef struct own_heap {
    hs_sim_t sim;
    uint32_t handle; /* offset */
} own_heap_t;

/* ---- positions -------------------------------------------------------------------------------- */

static hs_heap_t *device(const hs_sim_t *sim)
{
    return (hs_heap_t *)(void *)(sim->mem + ((const own_heap_t *)sim)->handle);
}

static uint32_t offset_of(const hs_sim_t *sim, const void *block)
{
    return (uint32_t)((uintptr_t)block - (uintptr_t)sim->mem);
}

/* The guard of the heap as it is configured, made for each call: unlike the heap it has pointers. Walks
 * on a schedule find nothing here, as nobody writes where he may not. */
static hs_guard_t guard_of(const hs_sim_t *sim)
{
#if HS_GUARD || HS_OWNERS
    static const hs_guard_config_t configs[] = {
        {.level = HS_GUARD_LINKS},
        {.level = HS_GUARD_CANARIES, .owners = true},
        {.level = HS_GUARD_FILL, .owners = true},
        {.level = HS_GUARD_WALK, .owners = true},
        {.level = HS_GUARD_LINKS, .owners = true},
    };
    const hs_guard_config_t *const config =
        &configs[sim->allocator.track ? 4 : sim->allocator.guard];
    return (hs_guard_t){.heap = device(sim), .config = config, .until_walk = UINT32_MAX};
#else
    return (hs_guard_t){.heap = device(sim)};
#endif
}

static const hs_tag_t TAG = {OWNER, NULL};

/* The heap's block around what the program has: a word of canaries lies before that at least, and the
 * block on the heap's own alignment. */
static void *raw_of(const hs_sim_t *sim, uint32_t offset)
{
    const uintptr_t block = (uintptr_t)sim->mem + offset;
    const bool canaries = sim->allocator.guard >= HS_GUARD_CANARIES;
    return (void *)(canaries ? (block - 4) & ~(uintptr_t)(HS_ALIGNMENT_DEFAULT - 1) : block);
}

/* The size of a block of the heap. */
static uint32_t size_of(const hs_sim_t *sim, uint32_t offset)
{
    return (uint32_t)hs_heap_usable_size(device(sim), raw_of(sim, offset));
}

/* The alignment to ask for on the host, 0: there is no such place on the chip. Above the modulus,
 * which exceeds the region's size, at most one address in the region is aligned; on the host it is
 * the one that is aligned to the modulus. */
static uint32_t host_alignment(const hs_sim_t *sim, uint32_t align)
{
    const uint32_t modulus = hs_sim_modulus(sim);
    if (align <= modulus || align > HS_ALIGNMENT_MAX) {
        return align;
    }
    const uint32_t first = (0u - sim->base) & (align - 1);
    return first <= sim->size ? modulus : 0;
}

/* ---- creation --------------------------------------------------------------------------------- */

static hs_status_t create(hs_sim_t *sim, hs_form_t form, uint32_t alignment)
{
    const hs_allocator_t *const allocator = &sim->allocator;
    const hs_heap_config_t config = {.form = allocator->word_only ? HS_FORM_WORD : form,
                                     .alignment = alignment};
    /* The heap would leave a part of a larger region unused without a word. */
    if (sim->size > HS_WIDE_MAX || allocator->front >= sim->size) {
        return HS_ERR_MEMORY;
    }
    if ((allocator->guard != 0 && !HS_GUARD) || (allocator->track && !HS_OWNERS)) {
        return HS_ERR_ARGUMENT; /* not compiled in */
    }
    hs_heap_t *heap =
        hs_heap_create(sim->mem + allocator->front, sim->size - allocator->front, &config);
    if (heap == NULL) {
        return HS_ERR_MEMORY;
    }
    ((own_heap_t *)sim)->handle = offset_of(sim, heap);
    hs_guard_t guard = guard_of(sim);
#if HS_GUARD || HS_OWNERS
    const hs_status_t status = hs_guard_init(&guard, heap, guard.config);
#else
    const hs_status_t status = hs_guard_init(&guard, heap, NULL);
#endif
    hs_heap_info_t info;
    hs_heap_info(heap, &info);
    sim->tally.control = (uint32_t)(allocator->front + info.control + info.bitmap);
    sim->tally.free = (uint32_t)info.free;
    return status;
}

static hs_status_t create_auto(hs_sim_t *sim)
{
    return create(sim, HS_FORM_AUTO, HS_ALIGNMENT_DEFAULT);
}

static hs_status_t create_16(hs_sim_t *sim)
{
    return create(sim, HS_FORM_AUTO, 16);
}

static hs_status_t create_wide(hs_sim_t *sim)
{
    return create(sim, HS_FORM_WIDE, HS_ALIGNMENT_DEFAULT);
}

/* ---- operations ------------------------------------------------------------------------------- */

/* After an allocation; block NULL: it failed. */
static uint32_t taken(hs_sim_t *sim, const void *block)
{
    if (block == NULL) {
        return HS_NONE;
    }
    const uint32_t offset = offset_of(sim, block);
    if (sim->places_alone) {
        return offset;
    }
    sim->tally.free = (uint32_t)hs_heap_free_size(device(sim));
    sim->tally.used += size_of(sim, offset);
    sim->tally.used_blocks++;
    return offset;
}

/* Whether the heap's own calls give the same places as the guard's, which only look on: what they look at
 * is sound here. */
static bool is_bare(const hs_sim_t *sim)
{
    return sim->places_alone && sim->allocator.guard == 0 && !sim->allocator.track;
}

static uint32_t own_malloc(hs_sim_t *sim, uint32_t size)
{
    if (is_bare(sim)) {
        return taken(sim, hs_heap_malloc(device(sim), size));
    }
    hs_guard_t guard = guard_of(sim);
    return taken(sim, hs_guard_malloc(&guard, size, TAG));
}

/* A guard that fills free memory looks at the low end alone (hs_route_turn). */
static void own_set_end(hs_sim_t *sim, bool high)
{
    hs_heap_set_end(device(sim), high && sim->allocator.guard < HS_GUARD_FILL);
}

static uint32_t own_aligned(hs_sim_t *sim, uint32_t align, uint32_t size, uint32_t at)
{
    hs_guard_t guard = guard_of(sim);
    return taken(sim, hs_guard_aligned_alloc(&guard, host_alignment(sim, align), size, at, TAG));
}

static void own_free(hs_sim_t *sim, uint32_t offset)
{
    if (is_bare(sim)) {
        (void)hs_heap_free(device(sim), sim->mem + offset);
        return;
    }
    hs_guard_t guard = guard_of(sim);
    const uint32_t size = size_of(sim, offset);
    if (hs_guard_free(&guard, sim->mem + offset) == HS_OK) {
        sim->tally.free = (uint32_t)hs_heap_free_size(device(sim));
        sim->tally.used -= size;
        sim->tally.used_blocks--;
    }
}

/* The low-water mark of the heap is borrowed to see the moment at which a realloc that moves holds
 * both blocks. */
static uint32_t own_realloc(hs_sim_t *sim, uint32_t offset, uint32_t size)
{
    hs_heap_t *heap = device(sim);
    hs_guard_t guard = guard_of(sim);
    void *const block = sim->mem + offset;
    const uint32_t old = size_of(sim, offset);
    const size_t minimum = hs_heap_reset_minimum(heap);
    void *const moved = hs_guard_realloc(&guard, block, size, TAG);
    sim->tally.free = (uint32_t)hs_heap_minimum_free(heap);
    hs_region_note_low(sim);
    hs_heap_restore_minimum(heap, minimum);
    sim->tally.free = (uint32_t)hs_heap_free_size(heap);
    if (moved == NULL) {
        return HS_NONE;
    }
    const uint32_t to = offset_of(sim, moved);
    sim->steps.copied += moved == block ? 0 : old < size ? old : size;
    sim->tally.used += size_of(sim, to) - old;
    return to;
}

/* ---- questions -------------------------------------------------------------------------------- */

static uint32_t usable(const hs_sim_t *sim, uint32_t offset)
{
    const hs_guard_t guard = guard_of(sim);
    return (uint32_t)hs_guard_usable_size(&guard, sim->mem + offset);
}

static bool fits(const hs_sim_t *sim, uint32_t align, uint32_t size, uint32_t at)
{
    const hs_guard_t guard = guard_of(sim);
    return hs_guard_fits(&guard, align == 0 ? 1 : host_alignment(sim, align), size, at);
}

/* hs_guard_largest answers for every smaller size as well. Where only slots are left, one for a larger
 * size may be free while none for a smaller is. */
static uint32_t largest_allocatable(hs_sim_t *sim)
{
    const hs_guard_t guard = guard_of(sim);
    const uint32_t largest = (uint32_t)hs_guard_largest(&guard);
    const uint32_t step = sim->allocator.track ? 1 : 4; /* an owner is a byte of a slot */
    for (uint32_t size = SLOTS_BELOW; size > largest; size -= step) {
        if (hs_guard_fits(&guard, 1, size, 0)) {
            return size;
        }
    }
    return largest;
}

/* Where the list of the largest blocks is long, hs_heap_largest has not looked at all of them. A larger
 * one would lie beside the one that it names: both together are no more than all that is free. */
static uint32_t largest_free(const hs_sim_t *sim)
{
    const size_t served = hs_heap_largest(device(sim));
    if (hs_heap_free_size(device(sim)) <= 2 * served) {
        return (uint32_t)served;
    }
    hs_heap_info_t info;
    hs_heap_info(device(sim), &info);
    return (uint32_t)info.largest_free;
}

static uint32_t free_blocks(const hs_sim_t *sim)
{
    hs_heap_info_t info;
    hs_heap_info(device(sim), &info);
    return (uint32_t)info.free_blocks;
}

/* True figures; the largest is the one that is to be had. */
static void reported(const hs_sim_t *sim, hs_reported_t *out)
{
    const hs_heap_t *heap = device(sim);
    const hs_guard_t guard = guard_of(sim);
    out->free = (uint32_t)hs_heap_free_size(heap);
    out->minimum_free = (uint32_t)hs_heap_minimum_free(heap);
    out->largest_free = (uint32_t)hs_guard_largest(&guard);
    out->allocated = sim->tally.used;
}

static void forget_low(hs_sim_t *sim)
{
    (void)hs_heap_reset_minimum(device(sim));
}

typedef struct visitor {
    const hs_sim_t *sim;
    hs_walk_fn visit;
    void *context;
} visitor_t;

static bool visit_one(void *context, void *block, size_t size, bool used)
{
    const visitor_t *visitor = context;
    const hs_walk_block_t one = {offset_of(visitor->sim, block), (uint32_t)size, used};
    return visitor->visit(visitor->context, &one);
}

/* A damaged heap is not walked: the heap's own walk trusts it. */
static void walk(const hs_sim_t *sim, hs_walk_fn visit, void *context)
{
    visitor_t visitor = {sim, visit, context};
    const void *where;
    if (hs_heap_check(device(sim), &where) == HS_OK) {
        hs_heap_walk(device(sim), visit_one, &visitor);
    }
}

static bool add_up(void *context, void *block, size_t size, bool used)
{
    (void)block;
    hs_seen_add(context, (uint32_t)size, used);
    return true;
}

static hs_status_t check(const hs_sim_t *sim, uint32_t *where)
{
    const hs_heap_t *heap = device(sim);
    const uint32_t handle = ((const own_heap_t *)sim)->handle;
    const void *fault = heap;
    if (hs_heap_check(heap, &fault) != HS_OK) {
        const uint32_t at = offset_of(sim, fault);
        return hs_seen_fault(at < sim->size ? at : handle, where);
    }
    hs_tally_t seen = sim->tally;
    seen.used = seen.free = seen.used_blocks = seen.free_blocks = 0;
    hs_heap_walk(heap, add_up, &seen);
    seen.free_blocks = sim->tally.free_blocks; /* the tally does without */
    const bool agrees = hs_seen_agrees(&sim->tally, &seen) &&
                        hs_heap_free_size(heap) == sim->tally.free &&
                        hs_heap_minimum_free(heap) == sim->tally.minimum_free;
    return agrees ? HS_OK : hs_seen_fault(handle, where);
}

/* All but name, title, granule and create. */
#define SAME_IN_ALL_FORMS                                                                          \
    .state_size = sizeof(own_heap_t), .granule = 4, .has_realloc = true, .has_aligned = true,      \
    .search = HS_SEARCH_BINS, .host_alignment = HS_ALIGNMENT_MAX, .malloc = own_malloc,            \
    .free = own_free, .realloc = own_realloc, .aligned = own_aligned, .aligned_free = own_free,    \
    .usable = usable, .aligned_usable = usable, .fits = fits,                                      \
    .largest_allocatable = largest_allocatable, .largest_free = largest_free,                      \
    .free_blocks = free_blocks, .reported = reported, .walk = walk, .forget_low = forget_low,      \
    .check = check, .set_end = own_set_end

const hs_model_t hs_model_heapscope = {
    .name = "heapscope",
    .title = "Heapscope's own heap, its form by the region",
    .poisonable = true,
    .tracking = HS_TRACKING_IN_BLOCK,
    .guardable = true,
    .create = create_auto,
    SAME_IN_ALL_FORMS,
};

const hs_model_t hs_model_heapscope_16 = {
    .name = "heapscope-16",
    .title = "Heapscope's own heap, blocks aligned to 16",
    .create = create_16,
    SAME_IN_ALL_FORMS,
};

const hs_model_t hs_model_heapscope_wide = {
    .name = "heapscope-wide",
    .title = "Heapscope's own heap, its wide form at any size",
    .poisonable = true,
    .create = create_wide,
    SAME_IN_ALL_FORMS,
};
