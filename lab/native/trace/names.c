#include "names.h"

#include <stdlib.h>
#include <string.h>

#define DOTS 3u /* stand for what a later piece brings */
#define PAGES ((HS_NAME_INDEX_MAX + 1u) / HS_NAMES_PAGE)

_Static_assert(PAGES *HS_NAMES_PAGE == HS_NAME_INDEX_MAX + 1u, "whole pages cover the indices");
_Static_assert(HS_SITE_NAME_MAX <= UINT16_MAX, "two bytes hold a length");

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

/* The place of a name, made if missing. */
static hs_name_t **place_make(hs_names_t *names, hs_name_table_t table, uint32_t index)
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

/* Gives a place a name of two parts; the second may lie in its old one. */
static hs_status_t name_put(hs_names_t *names, hs_name_t **place, const uint8_t *first,
                            size_t first_length, const uint8_t *second, size_t second_length)
{
    const size_t length = first_length + second_length;
    hs_name_t *const built = held_new(names, 1, sizeof *built + length);
    if (built == NULL) {
        return HS_ERR_MEMORY;
    }
    built->length = (uint16_t)length;
    memcpy(built->bytes, first, first_length);
    if (second_length > 0) {
        memcpy(built->bytes + first_length, second, second_length);
    }
    if (*place != NULL) {
        names->held -= sizeof **place + (*place)->length;
        free(*place);
    }
    *place = built;
    return HS_OK;
}

hs_status_t hs_names_set(hs_names_t *names, hs_name_table_t table, uint32_t index,
                         const uint8_t *bytes, size_t length)
{
    length = length < HS_NAME_MAX ? length : HS_NAME_MAX;
    hs_name_t **place = place_make(names, table, index);
    return place == NULL ? HS_ERR_MEMORY : name_put(names, place, bytes, length, NULL, 0);
}

void hs_names_callers(hs_names_t *names, uint32_t site, uint64_t after, const uint8_t *bytes,
                      size_t length)
{
    size_t known;
    const uint8_t *const name = hs_names_get(names, HS_NAMES_SITE, site, &known);
    if (name == NULL || after != known || known < DOTS || memcmp(name, "...", DOTS) != 0 ||
        length > HS_NAME_MAX || known - DOTS + length > HS_SITE_NAME_MAX) {
        return;
    }
    (void)name_put(names, place_make(names, HS_NAMES_SITE, site), bytes, length, name + DOTS,
                   known - DOTS);
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
    const hs_name_t *name = page == NULL ? NULL : page->names[index % HS_NAMES_PAGE];
    if (name == NULL) {
        return NULL;
    }
    *length = name->length;
    return name->bytes;
}

uint32_t hs_names_next(const hs_names_t *names, hs_name_table_t table, uint32_t index)
{
    hs_names_page_t *const *pages = names->pages[table];
    while (pages != NULL && index <= HS_NAME_INDEX_MAX) {
        const hs_names_page_t *page = pages[index / HS_NAMES_PAGE];
        if (page != NULL && page->names[index % HS_NAMES_PAGE] != NULL) {
            return index;
        }
        index = page != NULL ? index + 1 : (index / HS_NAMES_PAGE + 1) * HS_NAMES_PAGE;
    }
    return UINT32_MAX;
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
