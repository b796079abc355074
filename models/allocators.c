/* Allocator names: every model and its flavours. */
#include <string.h>

#include "list.h"

typedef struct named_allocator {
    const char *name;
    hs_allocator_t allocator;
} named_allocator_t;

#define PLAIN(name, object) {name, {&object, false}},
#define POISONABLE(name, object) {name, {&object, false}}, {name "+light", {&object, true}},

static const named_allocator_t ALLOCATORS[] = {HS_MODEL_LIST(PLAIN, POISONABLE)};

#define ALLOCATOR_COUNT (sizeof ALLOCATORS / sizeof ALLOCATORS[0])

hs_status_t hs_allocator_parse(const char *name, hs_allocator_t *out)
{
    if (name == NULL || out == NULL) {
        return HS_ERR_ARGUMENT;
    }
    for (size_t i = 0; i < ALLOCATOR_COUNT; i++) {
        if (strcmp(name, ALLOCATORS[i].name) == 0) {
            *out = ALLOCATORS[i].allocator;
            return HS_OK;
        }
    }
    return HS_ERR_ARGUMENT;
}

const char *hs_allocator_name(size_t index)
{
    return index < ALLOCATOR_COUNT ? ALLOCATORS[index].name : NULL;
}
