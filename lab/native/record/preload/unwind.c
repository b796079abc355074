#include "unwind.h"

#include "loaded.h"

#include <stdatomic.h>

#define KNOWN 16384u /* rules kept; a power of two */

typedef struct search {
    uintptr_t address;
    const uint8_t *table; /* .eh_frame_hdr of the object that has the address */
} search_t;

/* A rule and the address that it is for, so that a pair of two writers is seen not to be one:
 * `check` is the address, all bits of the rule and the age mixed in. */
static struct {
    _Atomic uint64_t check, rule;
} known[KNOWN];
static _Atomic uint32_t age;

void hs_rec_unwind_forget(void)
{
    atomic_fetch_add(&age, 1u);
}

uint32_t hs_rec_unwind_age(void)
{
    return atomic_load_explicit(&age, memory_order_relaxed);
}

static uint64_t packed(hs_rec_rule_t rule)
{
    return (uint64_t)rule.base | (uint64_t)rule.keeps_pointer << 4 |
           (uint64_t)((uint32_t)rule.frame & 0xFFFFFFu) << 8 |
           (uint64_t)(uint32_t)rule.pointer << 32;
}

static hs_rec_rule_t unpacked(uint64_t bits)
{
    const uint32_t frame = (uint32_t)(bits >> 8) & 0xFFFFFFu;
    return (hs_rec_rule_t){
        .base = (uint8_t)(bits & 15u),
        .keeps_pointer = (bits >> 4 & 1u) != 0,
        .frame = (int32_t)(frame << 8) >> 8,
        .pointer = (int32_t)(bits >> 32),
    };
}

static int look(hs_rec_loaded_t *object, size_t size, void *context)
{
    (void)size;
    search_t *search = context;
    const hs_rec_header_t *headers = object->headers;
    const uint8_t *table = NULL;
    bool inside = false;
    for (unsigned i = 0; i < object->header_count; i++) {
        const uintptr_t start = object->base + (uintptr_t)headers[i].address;
        if (headers[i].type == HS_REC_PT_LOAD) {
            inside |= search->address - start < headers[i].size;
        } else if (headers[i].type == HS_REC_PT_GNU_EH_FRAME) {
            table = (const uint8_t *)start;
        }
    }
    search->table = inside ? table : NULL;
    return inside;
}

static hs_rec_rule_t find(uintptr_t address)
{
    search_t search = {address - 1u, NULL}; /* within the call, whatever comes after it */
    if (dl_iterate_phdr != NULL) {
        (void)dl_iterate_phdr(look, &search);
    }
    if (search.table == NULL) {
        return HS_REC_GUESS;
    }
    return hs_rec_table_rule(search.table, address - 1u);
}

hs_rec_rule_t hs_rec_unwind_rule(uintptr_t address)
{
    const size_t at = (address ^ address >> 14) & (KNOWN - 1u);
    const uint64_t time = (uint64_t)atomic_load_explicit(&age, memory_order_relaxed) << 48;
    const uint64_t rule = atomic_load_explicit(&known[at].rule, memory_order_relaxed);
    if (HS_REC_LIKELY((atomic_load_explicit(&known[at].check, memory_order_relaxed) ^ rule ^
                       time) == address)) {
        return unpacked(rule);
    }
    const hs_rec_rule_t match = find(address);
    atomic_store_explicit(&known[at].rule, packed(match), memory_order_relaxed);
    atomic_store_explicit(&known[at].check, packed(match) ^ time ^ address, memory_order_relaxed);
    return match;
}
