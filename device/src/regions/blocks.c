/* Allocating, freeing and resizing. */
#include "route.h"

static void report(const hs_regions_t *set, const void *block, size_t size, uint32_t caps)
{
    if (block == NULL && size != 0 && set->config->failed != NULL) {
        set->config->failed(set->config->context, size, caps);
    }
}

/* ---- allocating --------------------------------------------------------------------------------- */

/* Each of `count` sets of capabilities in turn, each as the rules have it. */
static void *allocate(hs_regions_t *set, hs_request_t *request, const uint32_t *caps,
                      uint32_t count)
{
    void *block = NULL;
    if (hs_is_possible(request)) {
        for (uint32_t i = 0; i < count && block == NULL; i++) { /* bound: choices */
            uint32_t rule = 0;
            hs_request_t tried = *request;
            request->caps = caps[i];
            /* bound: rules + 1 */
            while (block == NULL && hs_route_try(set, request, &rule, &tried.caps)) {
                block = hs_route_take(set, &tried, NULL);
            }
        }
    }
    report(set, block, request->size, count != 0 ? caps[count - 1] : 0);
    return block;
}

static size_t product(size_t count, size_t size)
{
    return size == 0 || count <= SIZE_MAX / size ? count * size : SIZE_MAX;
}

void *hs_regions_malloc(hs_regions_t *set, size_t size, uint32_t caps)
{
    return hs_regions_malloc_prefer(set, size, &caps, 1);
}

void *hs_regions_calloc(hs_regions_t *set, size_t count, size_t size, uint32_t caps)
{
    return hs_regions_calloc_prefer(set, count, size, &caps, 1);
}

void *hs_regions_malloc_prefer(hs_regions_t *set, size_t size, const uint32_t *caps, uint32_t count)
{
    hs_request_t request = {.size = size, .alignment = 1};
    return allocate(set, &request, caps, count);
}

void *hs_regions_calloc_prefer(hs_regions_t *set, size_t n, size_t size, const uint32_t *caps,
                               uint32_t count)
{
    hs_request_t request = {.size = product(n, size), .alignment = 1, .clear = true};
    return allocate(set, &request, caps, count);
}

static void *aligned(hs_regions_t *set, hs_request_t *request, uint32_t caps)
{
    return hs_is_alignment(request) ? allocate(set, request, &caps, 1) : NULL;
}

void *hs_regions_aligned_alloc(hs_regions_t *set, size_t alignment, size_t size, size_t offset,
                               uint32_t caps)
{
    hs_request_t request = {.size = size, .alignment = alignment, .offset = offset};
    return aligned(set, &request, caps);
}

void *hs_regions_aligned_calloc(hs_regions_t *set, size_t alignment, size_t count, size_t size,
                                uint32_t caps)
{
    hs_request_t request = {.size = product(count, size), .alignment = alignment, .clear = true};
    return aligned(set, &request, caps);
}

/* ---- freeing ------------------------------------------------------------------------------------ */

/* An address in no region, or an alias of no block: the guard of any heap says so. */
static hs_status_t refuse(hs_regions_t *set, const hs_place_t *place, const void *address)
{
    hs_place_close(set, place);
    /* bound: regions */
    for (hs_area_t *at = hs_first_area(set); at != NULL; at = hs_next_area(set, at)) {
        if (hs_is_used(at) && !at->memory->bare) {
            hs_lock_area(set, at);
            const hs_status_t status = hs_guard_free(&at->guard, (void *)(uintptr_t)address);
            hs_unlock_area(set, at);
            return status;
        }
    }
    return HS_ERR_ARGUMENT;
}

/* Frees a block whose place was opened, and closes the place. */
static hs_status_t give(hs_regions_t *set, const hs_place_t *place)
{
    hs_area_t *const area = place->area;
    if (set->config->owners == NULL) {
        const hs_status_t status = hs_guard_free(&area->guard, place->block);
        hs_unlock_area(set, area);
        return status;
    }
    const hs_tag_t tag = hs_guard_tag(&area->guard, place->block);
    const size_t usable = hs_guard_usable_size(&area->guard, place->block);
    const hs_status_t status = hs_guard_free(&area->guard, place->block);
    hs_unlock_area(set, area);
#if HS_OWNERS
    if (status == HS_OK && tag.owner != HS_OWNER_NONE && usable != 0 && !area->memory->bare) {
        hs_lock(set, HS_LOCK_OWNERS);
        hs_owners_gave(set->config->owners, tag.owner, area->memory->kind, usable);
        hs_unlock(set, HS_LOCK_OWNERS);
    }
#else
    (void)set;
    (void)tag;
    (void)usable;
#endif
    return status;
}

hs_status_t hs_regions_free(hs_regions_t *set, void *block)
{
    if (block == NULL) {
        return HS_OK;
    }
    const hs_place_t place = hs_place_open(set, block, false);
    return place.block != NULL ? give(set, &place) : refuse(set, &place, block);
}

/* ---- resizing ----------------------------------------------------------------------------------- */

static void note_resized(hs_regions_t *set, const hs_area_t *area, hs_tag_t before, size_t had,
                         hs_tag_t after, size_t has)
{
#if HS_OWNERS
    hs_owners_t *const owners = set->config->owners;
    const uint32_t kind = area->memory->kind;
    if (owners == NULL || area->memory->bare) {
        return;
    }
    hs_lock(set, HS_LOCK_OWNERS);
    if (before.owner == after.owner) {
        hs_owners_resized(owners, after.owner, kind, had, has);
    } else {
        hs_owners_gave(owners, before.owner, kind, had);
        hs_owners_took(owners, after.owner, kind, has);
    }
    hs_unlock(set, HS_LOCK_OWNERS);
#else
    (void)set;
    (void)area;
    (void)before;
    (void)had;
    (void)after;
    (void)has;
#endif
}

/* Under the region's lock. `moved`: what the block holds is still to be carried to the new one. */
static void *resize_locked(const hs_regions_t *set, const hs_place_t *place, size_t size,
                           hs_tag_t tag, bool *moved)
{
    hs_guard_t *const guard = &place->area->guard;
#if HS_LOCKS
    if (set->config->lock != NULL) {
        return hs_guard_resize(guard, place->block, size, tag, moved);
    }
#else
    (void)set;
    (void)moved;
#endif
    return hs_guard_realloc(guard, place->block, size, tag);
}

/* The contents to a block of the same region, without the lock, as both are the caller's; then the old
 * one is freed. False: it was refused, and the new one is gone instead. */
static bool carry(hs_regions_t *set, const hs_place_t *place, void *block, size_t has, size_t size)
{
    hs_area_t *const area = place->area;
    const hs_place_t to = {area, block, block, 1, has};
    hs_place_copy(&to, place, place->size < size ? place->size : size);
    hs_lock_area(set, area);
    const bool freed = hs_guard_free(&area->guard, place->block) == HS_OK;
    if (!freed) {
        (void)hs_guard_free(&area->guard, block);
    }
    hs_unlock_area(set, area);
    return freed;
}

/* Within its region; NULL: no room there, or the block is damaged. */
static void *resize_here(hs_regions_t *set, const hs_place_t *place, const hs_request_t *request)
{
    hs_area_t *const area = place->area;
    hs_request_t rounded = *request;
    if (hs_is_words(area) || (request->caps & HS_CAP_32BIT) != 0) {
        rounded.size = hs_words_up(rounded.size);
    }
    const hs_tag_t after = hs_route_tag(set, area, hs_route_owner(set));
    bool moved = false;
    hs_lock_area(set, area);
    const hs_tag_t before = hs_guard_tag(&area->guard, place->block);
    hs_route_turn(area, request->caps, true);
    void *const block = resize_locked(set, place, rounded.size, after, &moved);
    hs_route_turn(area, request->caps, false);
    const size_t has = block != NULL ? hs_guard_usable_size(&area->guard, block) : 0;
    hs_unlock_area(set, area);
    if (block == NULL || (moved && !carry(set, place, block, has, rounded.size))) {
        return NULL;
    }
    note_resized(set, area, before, place->size, after, has);
    return block;
}

/* To any region; the guard looks at the block when it is freed. */
static void *resize_by_move(hs_regions_t *set, const hs_place_t *place, const hs_request_t *request)
{
    hs_place_t to;
    void *const address = hs_route_take(set, request, &to);
    if (address == NULL) {
        return NULL;
    }
    hs_place_copy(&to, place, place->size < request->size ? place->size : request->size);
    hs_lock_area(set, place->area);
    if (give(set, place) != HS_OK) {
        hs_lock_area(set, to.area);
        (void)give(set, &to);
        return NULL;
    }
    return address;
}

static bool is_served_here(const hs_place_t *place, uint32_t caps)
{
    return hs_caps_of_memory(caps) != 0 && hs_has(place->area, caps) &&
           (void *)place->words == place->block && hs_place_bus(place->area, caps) == HS_DATA;
}

/* One set of capabilities, as the rules have it. */
static void *resize(hs_regions_t *set, const hs_place_t *place, const hs_request_t *request)
{
    uint32_t rule = 0;
    hs_request_t tried = *request;
    void *moved = NULL;
    /* bound: rules + 1 */
    while (moved == NULL && hs_route_try(set, request, &rule, &tried.caps)) {
        if (is_served_here(place, tried.caps)) {
            moved = resize_here(set, place, &tried);
        }
        if (moved == NULL) {
            moved = resize_by_move(set, place, &tried);
        }
    }
    return moved;
}

void *hs_regions_realloc(hs_regions_t *set, void *block, size_t size, uint32_t caps)
{
    return hs_regions_realloc_prefer(set, block, size, &caps, 1);
}

void *hs_regions_realloc_prefer(hs_regions_t *set, void *block, size_t size, const uint32_t *caps,
                                uint32_t count)
{
    hs_request_t request = {.size = size, .alignment = 1};
    if (block == NULL) {
        return allocate(set, &request, caps, count);
    }
    if (size == 0) {
        (void)hs_regions_free(set, block);
        return NULL;
    }
    void *moved = NULL;
    const hs_place_t place = hs_place_open(set, block, true);
    const bool known = place.block != NULL && place.size != 0;
    if (!known) {
        (void)(place.block != NULL ? give(set, &place) : refuse(set, &place, block));
        return NULL;
    }
    hs_place_close(set, &place); /* the block is the caller's: what is known of it stays true */
    if (hs_is_possible(&request)) {
        for (uint32_t i = 0; i < count && moved == NULL; i++) { /* bound: choices */
            request.caps = caps[i];
            moved = resize(set, &place, &request);
        }
    }
    report(set, moved, size, count != 0 ? caps[count - 1] : 0);
    return moved;
}
