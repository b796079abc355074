/* A script engine with a heap of its own: it can fill that, and nobody else's. */
#include "../board.h"
#include "heapscope/private.h"

static _Alignas(8) uint8_t memory[20000];

/* The engine learns how much is missing, drops what it can do without, and the request is tried again. */
static void *cached;

static bool full(void *context, const hs_private_failure_t *failure)
{
    hs_private_t *const *const heap = context;
    hs_text_string(BOARD, "full: ");
    hs_text_number(BOARD, failure->size, 0);
    hs_text_string(BOARD, " bytes asked for, ");
    hs_text_number(BOARD, failure->largest, 0);
    hs_text_string(BOARD, " at most\n");
    const bool again = cached != NULL;
    (void)hs_private_free(*heap, cached);
    cached = NULL;
    return again;
}

typedef struct object {
    struct object *next;
    uint32_t value[6];
} object_t;

int main(void)
{
    static hs_private_t *heap;
    const hs_private_config_t config = {
        .name = "script",
        .size = sizeof memory,
        .memory = memory,
        .full = full,
        .context = &heap,
    };
    heap = hs_private_create(&config);
    if (heap == NULL) {
        return 1;
    }
    cached = hs_private_malloc(heap, 3000);
    object_t *objects = NULL;
    uint32_t count = 0;
    for (object_t *object; (object = hs_private_malloc(heap, sizeof *object)) != NULL; count++) {
        object->next = objects;
        objects = object;
    }
    hs_text_number(BOARD, count, 0);
    hs_text_string(BOARD, " objects\n");
    hs_private_meminfo(heap, BOARD);
    while (objects != NULL) {
        object_t *const next = objects->next;
        (void)hs_private_free(heap, objects);
        objects = next;
    }
    hs_private_meminfo(heap, BOARD);
    const bool sound = hs_private_check(heap) == HS_OK;
    hs_private_destroy(heap);
    return sound ? 0 : 1;
}
