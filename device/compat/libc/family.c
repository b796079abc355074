#include "family.h"
#include "arenas.h"
#include "heapscope/port.h"
#include "memory.h"

static hs_arenas_t arenas = {
    .alignment = HS_LIBC_ALIGNMENT,
    .weak = HS_LIBC_SMALLER_ALIGNMENT != 0,
};

#if defined(__GNUC__) || defined(__clang__)
__attribute__((weak))
#endif
void hs_libc_refused(void *block)
{
    (void)block;
}

static void *enough(void *block, hs_status_t *status)
{
    *status = block != NULL ? HS_OK : HS_ERR_MEMORY;
    return block;
}

void *hs_libc_allocate(size_t size, hs_status_t *status)
{
    size += size == 0;
    void *block = NULL;
    if (hs_port_enter()) {
        block = hs_arenas_malloc(&arenas, size);
        if (block == NULL && hs_libc_more(&arenas, 1, size)) {
            block = hs_arenas_malloc(&arenas, size);
        }
        hs_port_leave();
    }
    return enough(block, status);
}

void *hs_libc_clear(size_t count, size_t size, hs_status_t *status)
{
    void *block = NULL;
    if (size != 0 && count > SIZE_MAX / size) {
        return enough(NULL, status);
    }
    size = count * size + (count * size == 0);
    if (hs_port_enter()) {
        block = hs_arenas_calloc(&arenas, 1, size);
        if (block == NULL && hs_libc_more(&arenas, 1, size)) {
            block = hs_arenas_calloc(&arenas, 1, size);
        }
        hs_port_leave();
    }
    return enough(block, status);
}

void *hs_libc_align(size_t alignment, size_t size, hs_status_t *status)
{
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
        *status = HS_ERR_ARGUMENT;
        return NULL;
    }
    size += size == 0;
    void *block = NULL;
    if (hs_port_enter()) {
        block = hs_arenas_aligned_alloc(&arenas, alignment, size);
        if (block == NULL && hs_libc_more(&arenas, alignment, size)) {
            block = hs_arenas_aligned_alloc(&arenas, alignment, size);
        }
        hs_port_leave();
    }
    return enough(block, status);
}

void *hs_libc_resize(void *block, size_t size, hs_status_t *status)
{
    if (block == NULL) {
        return hs_libc_allocate(size, status);
    }
    if (size == 0) {
        hs_libc_release(block);
        *status = HS_OK;
        return NULL;
    }
    void *moved = NULL;
    bool is_block = true;
    if (hs_port_enter()) {
        is_block = hs_arenas_usable_size(&arenas, block) != 0;
        moved = is_block ? hs_arenas_realloc(&arenas, block, size) : NULL;
        if (is_block && moved == NULL && hs_libc_more(&arenas, 1, size)) {
            moved = hs_arenas_realloc(&arenas, block, size);
        }
        hs_port_leave();
    }
    if (!is_block) {
        hs_libc_refused(block);
        *status = HS_ERR_ARGUMENT;
        return NULL;
    }
    return enough(moved, status);
}

void hs_libc_release(void *block)
{
    hs_status_t status = HS_ERR_ARGUMENT;
    if (hs_port_enter()) {
        status = hs_arenas_free(&arenas, block);
        hs_port_leave();
    }
    if (status != HS_OK) {
        hs_libc_refused(block);
    }
}

size_t hs_libc_usable(const void *block)
{
    size_t size = 0;
    if (block != NULL && hs_port_enter()) {
        size = hs_arenas_usable_size(&arenas, block);
        hs_port_leave();
    }
    return size;
}

/* ---- beyond malloc ---------------------------------------------------------------------------- */

hs_status_t hs_libc_give(void *memory, size_t size)
{
    hs_status_t status = HS_ERR_ARGUMENT;
    if (hs_port_enter()) {
        status = hs_arenas_add(&arenas, memory, size);
        hs_port_leave();
    }
    return status;
}

/* A static arena is there from the beginning, whoever asks first. */
static bool enter_with_memory(void)
{
    if (!hs_port_enter()) {
        return false;
    }
    if (arenas.count == 0) {
        (void)hs_libc_more(&arenas, 1, 1);
    }
    return true;
}

size_t hs_libc_free_size(void)
{
    size_t size = 0;
    if (enter_with_memory()) {
        size = hs_arenas_free_size(&arenas);
        hs_port_leave();
    }
    return size;
}

size_t hs_libc_minimum_free(void)
{
    size_t size = 0;
    if (enter_with_memory()) {
        size = arenas.minimum;
        hs_port_leave();
    }
    return size;
}

size_t hs_libc_largest(void)
{
    size_t size = 0;
    if (enter_with_memory()) {
        size = hs_arenas_largest(&arenas);
        hs_port_leave();
    }
    return size;
}

hs_status_t hs_libc_check(const void **where)
{
    hs_status_t status = HS_OK;
    if (hs_port_enter()) {
        status = hs_arenas_check(&arenas, where);
        hs_port_leave();
    }
    return status;
}
