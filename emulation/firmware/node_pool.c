#include "node_pool.h"

#include <stdlib.h>

#include "cJSON.h"
#include "heapscope/fixed.h"
#include "memory.h"

static hs_fixed_t *nodes;
static char *begin, *end;

bool node_pool_open(void)
{
    if (FIRMWARE_NODES == 0) {
        return true;
    }
    const size_t size = hs_fixed_memory(FIRMWARE_NODES, sizeof(cJSON), 8);
    begin = malloc(size);
    end = begin + size;
    nodes = begin != NULL ? hs_fixed_create(begin, size, sizeof(cJSON), 8, "nodes") : NULL;
    return nodes != NULL;
}

/* Only one task parses. */
void *node_pool_malloc(size_t size)
{
    void *const node = nodes != NULL && size == sizeof(cJSON) ? hs_fixed_alloc(nodes) : NULL;
    return node != NULL ? node : malloc(size);
}

void node_pool_free(void *block)
{
    if (nodes != NULL && (char *)block >= begin && (char *)block < end) {
        hs_fixed_free(nodes, block);
    } else {
        free(block);
    }
}
