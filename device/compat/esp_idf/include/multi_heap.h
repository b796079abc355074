/*
 * The interface of ESP-IDF's heap on one region of memory, over heapscope/heap.h and guard.h. Names,
 * types and behaviour are the original's; docs/reference/esp_idf.md has each function and what is
 * different. Nothing is reentrant without multi_heap_set_lock().
 */
#ifndef MULTI_HEAP_H
#define MULTI_HEAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct multi_heap_info *multi_heap_handle_t;

/* NULL: too small for one block. A heap is given up by not using it any more. */
multi_heap_handle_t multi_heap_register(void *start, size_t size);
/* `lock` is handed to the locking of multi_heap_platform.h; it must be recursive. None at first. */
void multi_heap_set_lock(multi_heap_handle_t heap, void *lock);

void *multi_heap_malloc(multi_heap_handle_t heap, size_t size);
void *multi_heap_realloc(multi_heap_handle_t heap, void *p, size_t size);
/* NULL: also where `alignment` is 0 or no power of two. */
void *multi_heap_aligned_alloc(multi_heap_handle_t heap, size_t size, size_t alignment);
/* The byte at result + `offset` is aligned. */
void *multi_heap_aligned_alloc_offs(multi_heap_handle_t heap, size_t size, size_t alignment,
                                    size_t offset);
/* NULL is fine; an address where no used block begins is reported and ends the program. */
void multi_heap_free(multi_heap_handle_t heap, void *p);
void __attribute__((deprecated)) multi_heap_aligned_free(multi_heap_handle_t heap, void *p);

/* Bytes of a used block: at least the request. With what the heap keeps about it: the full size. */
size_t multi_heap_get_allocated_size(multi_heap_handle_t heap, void *p);
size_t multi_heap_get_full_block_size(multi_heap_handle_t heap, void *p);
/* The used block that `ptr` lies in; without one it is reported and the program ends. */
void *multi_heap_find_containing_block(multi_heap_handle_t heap, void *ptr);

/* Bytes, the part of the heap's own data that describes them included. */
size_t multi_heap_free_size(multi_heap_handle_t heap);
size_t multi_heap_minimum_free_size(multi_heap_handle_t heap); /* the lowest of it so far */
/* The minimum begins anew; the old one is returned. */
size_t multi_heap_reset_minimum_free_bytes(multi_heap_handle_t heap);
/* The smaller of both remains. */
void multi_heap_restore_minimum_free_bytes(multi_heap_handle_t heap,
                                           const size_t new_minimum_free_bytes_value);

typedef struct {
    size_t total_free_bytes;      /* = multi_heap_free_size() */
    size_t total_allocated_bytes; /* of all used blocks: multi_heap_get_allocated_size() */
    size_t largest_free_block;    /* the largest request that would succeed now */
    size_t minimum_free_bytes;    /* = multi_heap_minimum_free_size() */
    size_t allocated_blocks;
    size_t free_blocks;
    size_t total_blocks;
} multi_heap_info_t;
void multi_heap_get_info(multi_heap_handle_t heap, multi_heap_info_t *info);

/* Every block in address order; `block_used` 0: free. false stops. */
typedef bool (*multi_heap_walker_cb_t)(void *block_ptr, size_t block_size, int block_used,
                                       void *user_data);
void multi_heap_walk(multi_heap_handle_t heap, multi_heap_walker_cb_t walker_func, void *user_data);

void multi_heap_dump(multi_heap_handle_t heap); /* every block, to stdout */
/* false: something is wrong; with `print_errors` what and where, to stderr. */
bool multi_heap_check(multi_heap_handle_t heap, bool print_errors);

#ifdef __cplusplus
}
#endif

#endif
