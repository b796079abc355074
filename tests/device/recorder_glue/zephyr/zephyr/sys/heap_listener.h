/* Stands in for Zephyr's header: the same declarations of what is used here. */
#ifndef TESTS_ZEPHYR_HEAP_LISTENER_H
#define TESTS_ZEPHYR_HEAP_LISTENER_H

#include <stddef.h>
#include <stdint.h>

typedef struct sys_snode {
    struct sys_snode *next;
} sys_snode_t;

enum heap_event_types {
    HEAP_EVT_UNKNOWN = 0,
    HEAP_RESIZE,
    HEAP_ALLOC,
    HEAP_FREE,
    HEAP_REALLOC,
    HEAP_MAX_EVENTS
};

typedef void (*heap_listener_alloc_cb_t)(uintptr_t heap_id, void *mem, size_t bytes);
typedef void (*heap_listener_free_cb_t)(uintptr_t heap_id, void *mem, size_t bytes);
typedef void (*heap_listener_resize_cb_t)(uintptr_t heap_id, void *before, void *after);

struct heap_listener {
    sys_snode_t node;
    uintptr_t heap_id;
    enum heap_event_types event;
    union {
        heap_listener_alloc_cb_t alloc_cb;
        heap_listener_free_cb_t free_cb;
        heap_listener_resize_cb_t resize_cb;
    };
};

#define HEAP_ID_FROM_POINTER(heap_pointer) ((uintptr_t)heap_pointer)

void heap_listener_register(struct heap_listener *listener);

#endif
