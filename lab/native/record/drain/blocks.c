#include "blocks.h"

#include <stdlib.h>

#define FIRST_SLOTS ((size_t)1024)
#define PAGE_SHIFT 12
#define GRANULE_SHIFT 4
#define ID_BITS 40
#define SIZE_LIMIT (UINT64_C(1) << (64 - ID_BITS)) /* sizes from here on are in `others` */
#define ID_LIMIT ((UINT64_C(1) << ID_BITS) - 1)

static size_t spread(uint64_t number)
{
    return (size_t)((number * UINT64_C(0x9E3779B97F4A7C15)) >> 20);
}

hs_status_t hs_rec_blocks_init(hs_rec_blocks_t *blocks)
{
    *blocks = (hs_rec_blocks_t){0};
    blocks->pages = calloc(FIRST_SLOTS, sizeof(hs_rec_leaf_t *));
    blocks->others = calloc(FIRST_SLOTS, sizeof *blocks->others);
    blocks->page_mask = blocks->other_mask = FIRST_SLOTS - 1;
    if (blocks->pages == NULL || blocks->others == NULL) {
        hs_rec_blocks_clear(blocks);
        return HS_ERR_MEMORY;
    }
    return HS_OK;
}

void hs_rec_blocks_clear(hs_rec_blocks_t *blocks)
{
    for (size_t i = 0; blocks->pages != NULL && i <= blocks->page_mask; i++) {
        free(blocks->pages[i]);
    }
    while (blocks->spare != NULL) {
        hs_rec_leaf_t *next = blocks->spare->next;
        free(blocks->spare);
        blocks->spare = next;
    }
    free(blocks->pages);
    free(blocks->others);
    *blocks = (hs_rec_blocks_t){0};
}

/* ---- leaves ---- */

/* The slot of a page, or the free one where it would be. Bound: half of the slots is free. */
static size_t page_slot(const hs_rec_blocks_t *blocks, uint64_t page)
{
    size_t at = spread(page) & blocks->page_mask;
    while (blocks->pages[at] != NULL && blocks->pages[at]->page != page) {
        at = (at + 1) & blocks->page_mask;
    }
    return at;
}

static hs_status_t pages_grow(hs_rec_blocks_t *blocks)
{
    hs_rec_leaf_t **old = blocks->pages;
    const size_t old_count = blocks->page_mask + 1;
    hs_rec_leaf_t **grown = calloc(old_count * 2, sizeof *grown);
    if (grown == NULL) {
        return HS_ERR_MEMORY;
    }
    blocks->pages = grown;
    blocks->page_mask = old_count * 2 - 1;
    for (size_t i = 0; i < old_count; i++) {
        if (old[i] != NULL) {
            grown[page_slot(blocks, old[i]->page)] = old[i];
        }
    }
    free(old);
    return HS_OK;
}

static hs_rec_leaf_t *leaf_find(hs_rec_blocks_t *blocks, uint64_t page)
{
    if (blocks->latest == NULL || blocks->latest->page != page) {
        hs_rec_leaf_t *match = blocks->pages[page_slot(blocks, page)];
        if (match == NULL) {
            return NULL;
        }
        blocks->latest = match;
    }
    return blocks->latest;
}

static hs_rec_leaf_t *leaf_make(hs_rec_blocks_t *blocks, uint64_t page)
{
    if (blocks->page_count >= blocks->page_mask / 2 && pages_grow(blocks) != HS_OK) {
        return NULL;
    }
    hs_rec_leaf_t *leaf = blocks->spare;
    if (leaf != NULL) {
        blocks->spare = leaf->next; /* its entries are all 0: it was empty */
    } else {
        leaf = calloc(1, sizeof *leaf);
    }
    if (leaf != NULL) {
        leaf->page = page;
        blocks->pages[page_slot(blocks, page)] = leaf;
        blocks->page_count++;
    }
    return leaf;
}

/* An empty leaf leaves the table; those behind it move up, so that no search ends too early. */
static void leaf_drop(hs_rec_blocks_t *blocks, hs_rec_leaf_t *leaf)
{
    size_t hole = page_slot(blocks, leaf->page);
    blocks->pages[hole] = NULL;
    blocks->page_count--;
    for (size_t at = (hole + 1) & blocks->page_mask; blocks->pages[at] != NULL;
         at = (at + 1) & blocks->page_mask) {
        const size_t home = spread(blocks->pages[at]->page) & blocks->page_mask;
        if (((at - home) & blocks->page_mask) >= ((at - hole) & blocks->page_mask)) {
            blocks->pages[hole] = blocks->pages[at];
            blocks->pages[at] = NULL;
            hole = at;
        }
    }
    leaf->next = blocks->spare;
    blocks->spare = leaf;
    blocks->latest = NULL;
}

/* ---- the others ---- */

static size_t other_slot(const hs_rec_blocks_t *blocks, uint64_t address)
{
    size_t at = spread(address) & blocks->other_mask;
    while (blocks->others[at].address != 0 && blocks->others[at].address != address) {
        at = (at + 1) & blocks->other_mask;
    }
    return at;
}

static hs_status_t others_grow(hs_rec_blocks_t *blocks)
{
    hs_rec_block_t *old = blocks->others;
    const size_t old_count = blocks->other_mask + 1;
    hs_rec_block_t *grown = calloc(old_count * 2, sizeof *grown);
    if (grown == NULL) {
        return HS_ERR_MEMORY;
    }
    blocks->others = grown;
    blocks->other_mask = old_count * 2 - 1;
    for (size_t i = 0; i < old_count; i++) {
        if (old[i].address != 0) {
            grown[other_slot(blocks, old[i].address)] = old[i];
        }
    }
    free(old);
    return HS_OK;
}

static hs_status_t other_put(hs_rec_blocks_t *blocks, const hs_rec_block_t *block)
{
    if (blocks->other_count >= blocks->other_mask / 2 && others_grow(blocks) != HS_OK) {
        return HS_ERR_MEMORY;
    }
    hs_rec_block_t *slot = &blocks->others[other_slot(blocks, block->address)];
    blocks->other_count += slot->address == 0;
    blocks->count -= slot->address != 0; /* it takes the place of another */
    *slot = *block;
    return HS_OK;
}

static bool other_take(hs_rec_blocks_t *blocks, uint64_t address, hs_rec_block_t *out)
{
    size_t hole = other_slot(blocks, address);
    if (blocks->others[hole].address == 0) {
        return false;
    }
    *out = blocks->others[hole];
    blocks->others[hole].address = 0;
    blocks->other_count--;
    for (size_t at = (hole + 1) & blocks->other_mask; blocks->others[at].address != 0;
         at = (at + 1) & blocks->other_mask) {
        const size_t home = spread(blocks->others[at].address) & blocks->other_mask;
        if (((at - home) & blocks->other_mask) >= ((at - hole) & blocks->other_mask)) {
            blocks->others[hole] = blocks->others[at];
            blocks->others[at].address = 0;
            hole = at;
        }
    }
    return true;
}

/* ---- all ---- */

static size_t entry_of(uint64_t address)
{
    return (size_t)(address >> GRANULE_SHIFT) % HS_REC_LEAF_ENTRIES;
}

static bool has_entry(uint64_t address)
{
    return address % (1u << GRANULE_SHIFT) == 0;
}

hs_status_t hs_rec_blocks_put(hs_rec_blocks_t *blocks, const hs_rec_block_t *block)
{
    hs_status_t status = HS_OK;
    if (block->address == 0) { /* no block: a program that wrote over its ring says so */
        return HS_OK;
    }
    if (!has_entry(block->address) || block->size >= SIZE_LIMIT || block->id >= ID_LIMIT) {
        status = other_put(blocks, block);
    } else {
        const uint64_t page = block->address >> PAGE_SHIFT;
        hs_rec_leaf_t *leaf = leaf_find(blocks, page);
        if (leaf == NULL) {
            leaf = leaf_make(blocks, page);
        }
        if (leaf == NULL) {
            return HS_ERR_MEMORY;
        }
        uint64_t *entry = &leaf->entries[entry_of(block->address)];
        leaf->count += *entry == 0;
        blocks->count -= *entry != 0; /* it takes the place of another */
        *entry = block->size << ID_BITS | (block->id + 1);
    }
    blocks->count += status == HS_OK;
    return status;
}

static hs_rec_block_t unpacked(uint64_t address, uint64_t entry)
{
    return (hs_rec_block_t){address, (entry & ID_LIMIT) - 1, entry >> ID_BITS};
}

bool hs_rec_blocks_take(hs_rec_blocks_t *blocks, uint64_t address, hs_rec_block_t *out)
{
    if (has_entry(address)) {
        hs_rec_leaf_t *leaf = leaf_find(blocks, address >> PAGE_SHIFT);
        uint64_t *entry = leaf == NULL ? NULL : &leaf->entries[entry_of(address)];
        if (entry != NULL && *entry != 0) {
            *out = unpacked(address, *entry);
            *entry = 0;
            blocks->count--;
            if (--leaf->count == 0) {
                leaf_drop(blocks, leaf);
            }
            return true;
        }
    }
    if (blocks->other_count == 0 || !other_take(blocks, address, out)) {
        return false;
    }
    blocks->count--;
    return true;
}

static int by_id(const void *left, const void *right)
{
    const hs_rec_block_t *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

size_t hs_rec_blocks_list(const hs_rec_blocks_t *blocks, hs_rec_block_t *out)
{
    size_t count = 0;
    for (size_t i = 0; i <= blocks->page_mask; i++) {
        const hs_rec_leaf_t *leaf = blocks->pages[i];
        for (size_t j = 0; leaf != NULL && j < HS_REC_LEAF_ENTRIES; j++) {
            if (leaf->entries[j] != 0) {
                const uint64_t address = leaf->page << PAGE_SHIFT | (uint64_t)j << GRANULE_SHIFT;
                out[count++] = unpacked(address, leaf->entries[j]);
            }
        }
    }
    for (size_t i = 0; i <= blocks->other_mask; i++) {
        if (blocks->others[i].address != 0) {
            out[count++] = blocks->others[i];
        }
    }
    return count;
}

void hs_rec_blocks_sort(hs_rec_block_t *list, size_t count)
{
    if (count != 0) {
        qsort(list, count, sizeof *list, by_id);
    }
}
