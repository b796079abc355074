#include "shadow.h"

#include <string.h>
#include <sys/mman.h>

#define GRANULE 4u /* no heap gives a smaller alignment */
#define ENTRIES (1u << 20)
#define FRESH 0xA5
#define GIVEN 0x5A

/* A block in use. A table with open addressing; `address` 0: an empty place. */
typedef struct entry {
    uintptr_t address;
    size_t size;
} entry_t;

static struct {
    heap_arena_t arena;
    uint8_t *used; /* a bit for each granule that a block has */
    entry_t *entries;
    shadow_use_t use;
    uint64_t before; /* the checksum of the contents that a realloc has to keep */
} shadow;

static void *lazy_memory(size_t size)
{
    void *const memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

bool shadow_start(heap_arena_t arena)
{
    const size_t all = arena.size != 0 ? arena.size : SIZE_MAX;
    shadow.arena = arena;
    shadow.used = lazy_memory(all / GRANULE / 8 + 2);
    shadow.entries = lazy_memory(ENTRIES * sizeof(entry_t));
    return shadow.used != NULL && shadow.entries != NULL;
}

/* ---- the table -------------------------------------------------------------------------------- */

static uint32_t place_of(uintptr_t address)
{
    return (uint32_t)(address / GRANULE) * 0x9E3779B1u >> 12;
}

/* The block's entry, or the empty one where it would be. */
static entry_t *find(uintptr_t address)
{
    uint32_t at = place_of(address);
    while (shadow.entries[at].address != 0 && shadow.entries[at].address != address) {
        at = (at + 1) % ENTRIES;
    }
    return &shadow.entries[at];
}

/* Empties an entry, and moves those up that were behind it on their way. */
static void forget(entry_t *entry)
{
    uint32_t hole = (uint32_t)(entry - shadow.entries);
    for (uint32_t at = (hole + 1) % ENTRIES; shadow.entries[at].address != 0;
         at = (at + 1) % ENTRIES) {
        const uint32_t wanted = place_of(shadow.entries[at].address);
        if ((at - wanted) % ENTRIES >= (at - hole) % ENTRIES) {
            shadow.entries[hole] = shadow.entries[at];
            hole = at;
        }
    }
    shadow.entries[hole].address = 0;
}

/* ---- the granules ----------------------------------------------------------------------------- */

/* Sets or clears the bits of a block. false: one was so before. */
static bool mark(uintptr_t address, size_t size, bool used)
{
    bool all = true;
    const size_t first = (address - shadow.arena.base) / GRANULE;
    const size_t end = (address - shadow.arena.base + size + GRANULE - 1) / GRANULE;
    for (size_t i = first; i < end;) {
        uint8_t *const byte = &shadow.used[i / 8];
        if (i % 8 == 0 && end - i >= 8) {
            all = all && *byte == (used ? 0 : 0xFF);
            *byte = used ? 0xFF : 0;
            i += 8;
        } else {
            const uint8_t bit = (uint8_t)(1u << i % 8);
            all = all && ((*byte & bit) == 0) == used;
            *byte = (uint8_t)(used ? *byte | bit : *byte & ~bit);
            i++;
        }
    }
    return all;
}

static bool is_inside(uintptr_t address, size_t size)
{
    const heap_arena_t *const arena = &shadow.arena;
    return arena->size == 0 || (address >= arena->base && size <= arena->size &&
                                address - arena->base <= arena->size - size);
}

/* ---- blocks ----------------------------------------------------------------------------------- */

static void count(size_t bytes)
{
    shadow_use_t *const use = &shadow.use;
    use->bytes += bytes;
    use->blocks++;
    use->bytes_most = use->bytes > use->bytes_most ? use->bytes : use->bytes_most;
    use->blocks_most = use->blocks > use->blocks_most ? use->blocks : use->blocks_most;
}

/* The rules of a place. */
static const char *enter(uintptr_t address, size_t size)
{
    if (!is_inside(address, size)) {
        return "outside";
    }
    if (address % heap_alignment(size) != 0) {
        return "misaligned";
    }
    if (!mark(address, size, true)) {
        return "overlap";
    }
    *find(address) = (entry_t){address, size};
    count(size);
    return NULL;
}

static void leave(entry_t *entry)
{
    (void)mark(entry->address, entry->size, false);
    shadow.use.bytes -= entry->size;
    shadow.use.blocks--;
    forget(entry);
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

const char *shadow_taken(void *block, size_t size, bool cleared)
{
    const char *const fault = enter((uintptr_t)block, size);
    if (fault != NULL) {
        return fault;
    }
    if (!cleared) {
        memset(block, FRESH, size);
    }
    return cleared && !is_zero(block, size) ? "not cleared" : NULL;
}

const char *shadow_given(void *block)
{
    entry_t *const entry = find((uintptr_t)block);
    if (entry->address == 0) {
        return "unknown";
    }
    memset(block, GIVEN, entry->size);
    leave(entry);
    return NULL;
}

/* ---- realloc ---------------------------------------------------------------------------------- */

/* Any two contents that differ in a few words have different ones. */
static uint64_t checksum(const void *block, size_t size)
{
    const uint8_t *bytes = block;
    uint64_t low = size, high = 0x9E3779B97F4A7C15u;
    for (; size >= 4; size -= 4, bytes += 4) {
        uint32_t word;
        memcpy(&word, bytes, 4);
        low += word;
        high += low;
    }
    for (; size > 0; size--, bytes++) {
        low += *bytes;
        high += low;
    }
    return low ^ high << 20;
}

const char *shadow_resizes(void *block, size_t size)
{
    const entry_t *const entry = find((uintptr_t)block);
    if (entry->address == 0) {
        return "unknown";
    }
    shadow.before = checksum(block, entry->size < size ? entry->size : size);
    return NULL;
}

const char *shadow_resized(void *block, void *moved, size_t size)
{
    entry_t *const entry = find((uintptr_t)block);
    const size_t had = entry->size;
    const size_t kept = had < size ? had : size;
    if (moved != NULL) {
        leave(entry);
        const char *const fault = enter((uintptr_t)moved, size);
        if (fault != NULL) {
            return fault;
        }
    }
    uint8_t *const now = moved != NULL ? moved : block;
    if (checksum(now, kept) != shadow.before) {
        return "contents lost";
    }
    if (moved != NULL && size > had) {
        memset(now + had, FRESH, size - had);
    }
    return NULL;
}

size_t shadow_size(const void *block)
{
    const entry_t *const entry = find((uintptr_t)block);
    return entry->address != 0 ? entry->size : 0;
}

shadow_use_t shadow_use(void)
{
    return shadow.use;
}
