#include "names.h"

#include <stdlib.h>
#include <string.h>

#define PAGES ((HS_NAME_INDEX_MAX + 1u) / HS_NAMES_PAGE)

_Static_assert(PAGES *HS_NAMES_PAGE == HS_NAME_INDEX_MAX + 1u, "whole pages cover the indices");
_Static_assert(HS_NAME_MAX <= UINT8_MAX, "one byte holds a length");

/* Zeroed memory within the bound, or NULL. */
static void *held_new(hs_names_t *names, size_t count, size_t size)
{
    if (count * size > HS_NAMES_BYTES_MAX - names->held) {
        return NULL;
    }
    void *memory = calloc(count, size);
    names->held += memory != NULL ? count * size : 0;
    return memory;
}

/* The place of a name, made when there is none. */
static uint8_t **place_make(hs_names_t *names, hs_name_table_t table, uint32_t index)
{
    if (names->pages[table] == NULL) {
        names->pages[table] = held_new(names, PAGES, sizeof *names->pages[table]);
        if (names->pages[table] == NULL) {
            return NULL;
        }
    }
    hs_names_page_t **page = &names->pages[table][index / HS_NAMES_PAGE];
    if (*page == NULL) {
        *page = held_new(names, 1, sizeof **page);
    }
    return *page == NULL ? NULL : &(*page)->names[index % HS_NAMES_PAGE];
}

hs_status_t hs_names_set(hs_names_t *names, hs_name_table_t table, uint32_t index,
                         const uint8_t *bytes, size_t length)
{
    length = length < HS_NAME_MAX ? length : HS_NAME_MAX;
    uint8_t **place = place_make(names, table, index);
    uint8_t *copy = place == NULL ? NULL : held_new(names, 1, length + 1);
    if (copy == NULL) {
        return HS_ERR_MEMORY;
    }
    copy[0] = (uint8_t)length;
    memcpy(copy + 1, bytes, length);
    if (*place != NULL) {
        names->held -= (*place)[0] + 1u;
        free(*place);
    }
    *place = copy;
    return HS_OK;
}

const uint8_t *hs_names_get(const hs_names_t *names, hs_name_table_t table, uint32_t index,
                            size_t *length)
{
    *length = 0;
    if ((unsigned)table >= HS_NAMES_TABLES || index > HS_NAME_INDEX_MAX ||
        names->pages[table] == NULL) {
        return NULL;
    }
    const hs_names_page_t *page = names->pages[table][index / HS_NAMES_PAGE];
    const uint8_t *name = page == NULL ? NULL : page->names[index % HS_NAMES_PAGE];
    if (name == NULL) {
        return NULL;
    }
    *length = name[0];
    return name + 1;
}

static void page_delete(hs_names_page_t *page)
{
    for (size_t i = 0; page != NULL && i < HS_NAMES_PAGE; i++) {
        free(page->names[i]);
    }
    free(page);
}

void hs_names_clear(hs_names_t *names)
{
    for (size_t table = 0; table < HS_NAMES_TABLES; table++) {
        for (size_t i = 0; names->pages[table] != NULL && i < PAGES; i++) {
            page_delete(names->pages[table][i]);
        }
        free(names->pages[table]);
    }
    *names = (hs_names_t){0};
}
