#include "allocators/allocators.h"

#include <string.h>

#include "allocators/heapscope.h"
#include "fixed.h"
#include "list.h"

typedef struct named_allocator {
    const char *name;
    hs_allocator_t allocator;
} named_allocator_t;

#define ONE(title, object, has_light, has_track)                                                   \
    {title, {.model = &(object), .light = (has_light), .track = (has_track)}},
#define GUARD(title, object, level) {title, {.model = &(object), .guard = (level)}},
#define PLAIN(name, object) ONE(name, object, false, false)
#define POISONABLE(name, object) PLAIN(name, object) ONE(name "+light", object, true, false)
#define FULL(title, object, has_track)                                                             \
    {title, {.model = &(object), .light = true, .full = true, .track = (has_track)}},
#define IN_POISON(name, object)                                                                    \
    POISONABLE(name, object)                                                                       \
    FULL(name "+full", object, false)                                                              \
    ONE(name "+track", object, true, true)                                                         \
    FULL(name "+full+track", object, true)
#define IN_FRONT(name, object)                                                                     \
    POISONABLE(name, object)                                                                       \
    FULL(name "+full", object, false)                                                              \
    ONE(name "+track", object, false, true)                                                        \
    ONE(name "+light+track", object, true, true)                                                   \
    FULL(name "+full+track", object, true)

#define GUARDED(name, object)                                                                      \
    POISONABLE(name, object)                                                                       \
    ONE(name "+track", object, false, true)                                                        \
    GUARD(name "+guard1", object, 1)                                                               \
    GUARD(name "+guard2", object, 2)                                                               \
    GUARD(name "+guard3", object, 3)

/* A model's plain name comes first. */
static const named_allocator_t ALLOCATORS[] = {HS_OWN_LIST(PLAIN, POISONABLE, GUARDED)
                                                   HS_MODEL_LIST(PLAIN, IN_POISON, IN_FRONT)};

#define ALLOCATOR_COUNT (sizeof ALLOCATORS / sizeof ALLOCATORS[0])

static bool is_flavour(const char *flavour, size_t length, const char *name)
{
    return length == strlen(name) && strncmp(flavour, name, length) == 0;
}

/* One of them, which must not have been there before. */
static bool parse_flavour(const char *flavour, size_t length, hs_allocator_t *out)
{
    static const char *const guards[] = {"+guard1", "+guard2", "+guard3"};
    for (uint8_t level = 1; level <= 3; level++) {
        if (is_flavour(flavour, length, guards[level - 1])) {
            const bool first = out->guard == 0;
            out->guard = level;
            return first;
        }
    }
    bool *const flags[] = {&out->light, &out->full, &out->track};
    static const char *const flavours[] = {"+light", "+full", "+track"};
    for (size_t i = 0; i < sizeof flavours / sizeof flavours[0]; i++) {
        if (is_flavour(flavour, length, flavours[i])) {
            const bool first = !*flags[i];
            *flags[i] = true;
            return first;
        }
    }
    return false;
}

/* Takes the flavours, each once at most, off `flavours`, which ends the name. */
static bool parse_flavours(const char *flavours, hs_allocator_t *out)
{
    while (*flavours != 0) {
        const size_t length = 1 + strcspn(flavours + 1, "+");
        if (!parse_flavour(flavours, length, out)) {
            return false;
        }
        flavours += length;
    }
    out->light |= out->full || (out->track && out->model->tracking == HS_TRACKING_IN_POISON);
    /* Among canaries there is room for the owner: the same places with it and without. */
    out->track &= !(out->guard != 0 && out->model->tracking == HS_TRACKING_IN_BLOCK);
    return true;
}

static const named_allocator_t *find(const hs_allocator_t *wanted)
{
    for (size_t i = 0; i < ALLOCATOR_COUNT; i++) {
        const hs_allocator_t *one = &ALLOCATORS[i].allocator;
        if (one->model == wanted->model && one->light == wanted->light &&
            one->full == wanted->full && one->track == wanted->track &&
            one->guard == wanted->guard) {
            return &ALLOCATORS[i];
        }
    }
    return NULL;
}

static const named_allocator_t *parse(const char *name)
{
    const size_t length = strcspn(name, "+");
    for (size_t i = 0; i < ALLOCATOR_COUNT; i++) {
        hs_allocator_t wanted = {.model = ALLOCATORS[i].allocator.model};
        if (strlen(ALLOCATORS[i].name) == length &&
            strncmp(ALLOCATORS[i].name, name, length) == 0) {
            return parse_flavours(name + length, &wanted) ? find(&wanted) : NULL;
        }
    }
    return NULL;
}

/* Digits, at most seven, up to a character that ends them. */
static const char *parse_number(const char *text, char end, uint32_t *number)
{
    const size_t length = strspn(text, "0123456789");
    *number = 0;
    for (size_t i = 0; i < length && length <= 7; i++) {
        *number = 10 * *number + (uint32_t)(text[i] - '0');
    }
    return length != 0 && length <= 7 && text[length] == end ? text + length + 1 : NULL;
}

/* "fixed:BLOCK:ALIGNMENT": a pool of fixed blocks, which is in no list of allocators. */
static bool parse_fixed(const char *name, hs_allocator_t *out)
{
    hs_allocator_t match = {.model = &hs_model_fixed};
    if (name == NULL || out == NULL || strncmp(name, "fixed:", 6) != 0) {
        return false;
    }
    const char *rest = parse_number(name + 6, ':', &match.block);
    if (rest == NULL || parse_number(rest, 0, &match.alignment) == NULL) {
        return false;
    }
    *out = match;
    return true;
}

hs_status_t hs_allocator_parse(const char *name, hs_allocator_t *out)
{
    if (parse_fixed(name, out)) {
        return HS_OK;
    }
    const named_allocator_t *match = name != NULL && out != NULL ? parse(name) : NULL;
    if (match == NULL) {
        return HS_ERR_ARGUMENT;
    }
    *out = match->allocator;
    return HS_OK;
}

const char *hs_allocator_name(size_t index)
{
    return index < ALLOCATOR_COUNT ? ALLOCATORS[index].name : NULL;
}

const char *hs_allocator_find(const char *name)
{
    const named_allocator_t *match = name != NULL ? parse(name) : NULL;
    return match != NULL ? match->name : NULL;
}

const char *hs_allocator_places_as(const char *name)
{
    const named_allocator_t *match = name != NULL ? parse(name) : NULL;
    if (match == NULL) {
        return NULL;
    }
    const hs_model_t *model = match->allocator.model;
    return model->places_as != NULL ? model->places_as : model->name;
}
