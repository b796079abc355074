#include "allocators/allocators.h"

#include <string.h>

#include "allocators/heapscope.h"
#include "list.h"

typedef struct named_allocator {
    const char *name;
    hs_allocator_t allocator;
} named_allocator_t;

#define ONE(title, object, has_light, has_track)                                                   \
    {title, {.model = &(object), .light = (has_light), .track = (has_track)}},
#define PLAIN(name, object) ONE(name, object, false, false)
#define POISONABLE(name, object) PLAIN(name, object) ONE(name "+light", object, true, false)
#define IN_POISON(name, object) POISONABLE(name, object) ONE(name "+track", object, true, true)
#define IN_FRONT(name, object)                                                                     \
    POISONABLE(name, object)                                                                       \
    ONE(name "+track", object, false, true)                                                        \
    ONE(name "+light+track", object, true, true)

/* A model's plain name comes first. */
static const named_allocator_t ALLOCATORS[] = {HS_OWN_LIST(PLAIN, POISONABLE)
                                                   HS_MODEL_LIST(PLAIN, IN_POISON, IN_FRONT)};

#define ALLOCATOR_COUNT (sizeof ALLOCATORS / sizeof ALLOCATORS[0])

/* Takes "+light" and "+track", each once at most, off `flavours`, which ends the name. */
static bool parse_flavours(const char *flavours, hs_allocator_t *out)
{
    while (*flavours != 0) {
        const size_t length = 1 + strcspn(flavours + 1, "+");
        bool *flavour = NULL;
        if (length == strlen("+light") && strncmp(flavours, "+light", length) == 0) {
            flavour = &out->light;
        } else if (length == strlen("+track") && strncmp(flavours, "+track", length) == 0) {
            flavour = &out->track;
        }
        if (flavour == NULL || *flavour) {
            return false;
        }
        *flavour = true;
        flavours += length;
    }
    out->light |= out->track && out->model->tracking == HS_TRACKING_IN_POISON;
    return true;
}

static const named_allocator_t *find(const hs_allocator_t *wanted)
{
    for (size_t i = 0; i < ALLOCATOR_COUNT; i++) {
        const hs_allocator_t *one = &ALLOCATORS[i].allocator;
        if (one->model == wanted->model && one->light == wanted->light &&
            one->track == wanted->track) {
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

hs_status_t hs_allocator_parse(const char *name, hs_allocator_t *out)
{
    const named_allocator_t *found = name != NULL && out != NULL ? parse(name) : NULL;
    if (found == NULL) {
        return HS_ERR_ARGUMENT;
    }
    *out = found->allocator;
    return HS_OK;
}

const char *hs_allocator_name(size_t index)
{
    return index < ALLOCATOR_COUNT ? ALLOCATORS[index].name : NULL;
}

const char *hs_allocator_find(const char *name)
{
    const named_allocator_t *found = name != NULL ? parse(name) : NULL;
    return found != NULL ? found->name : NULL;
}
