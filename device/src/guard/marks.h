/*
 * The marks that the guard writes into a block of the heap, from its first word on:
 *
 *     | site, if kept | canary words    | payload ... | canary bytes | trailer word |
 *     ^ raw           one at least      ^ raw + head                 ^ end - 4      ^ end
 *
 * and without canaries (HS_GUARD_LINKS)
 *
 *     | payload ...                            | owner, 1 byte | site, if kept |
 *     ^ raw                                                                    ^ end
 *
 * The trailer's bytes, by address: two of a canary, the slack, the owner. Slack is the number of bytes
 * from the payload's end to the block's, five bits, and above them by how many words the head is
 * larger than it must be: raw, payload and size follow from either end.
 *
 * Canary bytes follow from the place in the heap. They are odd and below 0x80: no fill pattern, no 0
 * and no 0xFF equals one.
 */
#ifndef HEAPSCOPE_GUARD_MARKS_H
#define HEAPSCOPE_GUARD_MARKS_H

#include "../heap/layout.h"
#include "heapscope/assert.h"
#include "heapscope/guard.h"

#if HS_GUARD || HS_OWNERS

#define HS_TRAILER 4u /* bytes */
#define HS_SLACK_BITS 5u
#define HS_SLACK_MAX ((1u << HS_SLACK_BITS) - 1)
#define HS_SLACK_WORDS (HS_SLACK_MAX / 4)            /* at most, between payload and trailer */
#define HS_HEAD_WORDS (1 + (0xFFu >> HS_SLACK_BITS)) /* of canaries before the payload, at most */
#define HS_CANARY_BITS 0x7E7E7E7Eu /* that differ; the lowest of each byte is set */
#define HS_CANARY_SET 0x01010101u

typedef const void *HS_ANY_TYPE hs_site_t;

/* Words as their bytes lie in memory: the byte at the lowest address in bits 0 to 7. */
static inline uint32_t hs_lanes(uint32_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return word >> 24 | (word >> 8 & 0xFF00u) | (word & 0xFF00u) << 8 | word << 24;
#else
    return word;
#endif
}

/* The bytes of a word from the `first` on, 0 to 3. */
static inline uint32_t hs_lanes_from(uint32_t first)
{
    HS_ASSERT(first < 4);
    return hs_lanes(UINT32_MAX << 8 * first);
}

static inline uint32_t hs_lanes_of(uint32_t byte)
{
    return byte * 0x01010101u;
}

/* Where one of these is always false, the compiler leaves out the code that depends on it. */
static inline bool hs_has_links(const hs_guard_config_t *config)
{
    return HS_GUARD != 0 && config->level >= HS_GUARD_LINKS;
}

static inline bool hs_has_canaries(const hs_guard_config_t *config)
{
    return HS_GUARD != 0 && config->level >= HS_GUARD_CANARIES;
}

static inline bool hs_has_fill(const hs_guard_config_t *config)
{
    return HS_GUARD != 0 && config->level >= HS_GUARD_FILL;
}

static inline uint32_t hs_site_bytes(const hs_guard_config_t *config)
{
    return config->sites ? (uint32_t)sizeof(hs_site_t) : 0;
}

/* The alignment of the heap's blocks, bytes. */
static inline uint32_t hs_unit_of(const hs_heap_t *heap)
{
    return HS_GRANULE << (heap->shape & HS_UNIT);
}

/* The smallest head that canaries need: what lies before the payload. */
static inline uint32_t hs_head_least(const hs_guard_config_t *config)
{
    return hs_has_canaries(config) ? 4 + hs_site_bytes(config) : 0;
}

static inline uint32_t hs_payload_alignment(const hs_guard_t *guard)
{
    const uint32_t alignment = guard->config->alignment;
    return alignment != 0 ? alignment : hs_unit_of(guard->heap);
}

/* The head of blocks that need no alignment beyond that of all. */
static inline uint32_t hs_head_of(const hs_guard_t *guard)
{
    const uint32_t alignment = hs_payload_alignment(guard);
    return (hs_head_least(guard->config) + alignment - 1) & ~(alignment - 1);
}

/* The bytes that the marks behind the payload need at least. */
static inline uint32_t hs_tail_of(const hs_guard_config_t *config)
{
    return hs_has_canaries(config) ? HS_TRAILER : (config->owners ? 1 : 0) + hs_site_bytes(config);
}

/* The canary of the word at `at`. */
static inline uint32_t hs_canary_at(const hs_heap_t *heap, const void *at)
{
    uint32_t mixed = (uint32_t)((uintptr_t)at - (uintptr_t)heap) * 0x9E3779B1u;
    mixed ^= mixed >> 15;
    return hs_lanes((mixed & HS_CANARY_BITS) | HS_CANARY_SET);
}

/* The site's share in the canary before the payload: of 2^24 changes one leaves it as it was. */
static inline uint32_t hs_canary_of(const void *site)
{
    const uint64_t bits = (uintptr_t)site;
    uint32_t mixed = (uint32_t)bits ^ (uint32_t)(bits >> 32) * 0x9E3779B1u;
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6Bu;
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35u;
    return hs_lanes((mixed ^ mixed >> 16) & HS_CANARY_BITS);
}

/* The trailer of a block of `whole` bytes. A change of slack alone, of the owner alone, or of the size
 * alone (below 32 KB) changes one of the canary's bytes. */
static inline uint32_t hs_trailer(const hs_heap_t *heap, const void *at, uint32_t whole,
                                  uint32_t slack, uint32_t owner)
{
    const uint32_t first = owner ^ slack >> 6 ^ whole >> 3;
    const uint32_t second = slack ^ owner >> 6 ^ whole >> 9;
    const uint32_t canary = hs_lanes(hs_canary_at(heap, at)) & 0xFFFFu;
    return hs_lanes((canary ^ ((first & 0x3Fu) << 1 | (second & 0x3Fu) << 9)) | slack << 16 |
                    owner << 24);
}

/* A used block of the heap and what its marks say. */
typedef struct hs_guarded {
    uintptr_t raw;  /* where the heap's block begins */
    uint32_t whole; /* its bytes */
    uint32_t head;
    uint32_t size; /* of the payload; without a sound trailer the most that it can be */
    bool sound;    /* the trailer is, or it has none */
    uint32_t owner;
} hs_guarded_t;

static inline void *hs_payload(const hs_guarded_t *block)
{
    return (void *)(block->raw + block->head);
}

static inline hs_word_t *hs_word_at(uintptr_t address)
{
    return (hs_word_t *)address;
}

/* Reads the marks at the end of the block at `raw`; the head is a guess where they are gone. */
void hs_guard_read_marks(const hs_guard_t *guard, uintptr_t raw, uint32_t whole,
                         hs_guarded_t *block);

/* Is every mark of the block at `raw` as it must be, its payload `head` bytes behind? True: in *block. */
bool hs_guard_has_sound_marks(const hs_guard_t *guard, uintptr_t raw, uint32_t whole, uint32_t head,
                              hs_guarded_t *block);

/* Who allocated it. */
static inline const void *hs_read_site(const hs_guard_t *guard, const hs_guarded_t *block)
{
    if (!guard->config->sites) {
        return NULL;
    }
    const uintptr_t end = block->raw + block->whole - sizeof(hs_site_t);
    return *(const hs_site_t *)(hs_has_canaries(guard->config) ? block->raw : end);
}

/* Writes owner and site of a block without canaries that ends at `end`. */
static inline void hs_write_tag(const hs_guard_config_t *config, uintptr_t end, hs_tag_t tag)
{
    if (config->sites) {
        end -= sizeof(hs_site_t);
        *(hs_site_t *)end = tag.site;
    }
    if (config->owners) {
        const uint32_t lanes = hs_lanes_from(3);
        volatile hs_word_t *const at = hs_word_at(end - 4); /* no compiler makes a byte of it */
        *at = (*at & ~lanes) | (hs_lanes(tag.owner << 24) & lanes);
    }
}

/* Writes all marks of a block with canaries; its payload stays. */
void hs_guard_write_marks(const hs_guard_t *guard, const hs_guarded_t *block, hs_tag_t tag);

/* The first byte before the payload that is wrong; NULL: none. */
const void *hs_guard_wrong_head(const hs_guard_t *guard, const hs_guarded_t *block);
/* The same behind it; the trailer's first one where that does not agree with itself. */
const void *hs_guard_wrong_tail(const hs_guard_t *guard, const hs_guarded_t *block);

/* Reports a fault. True: the call may go on if the heap's data allow it. */
bool hs_guard_report(const hs_guard_t *guard, hs_fault_kind_t kind, const hs_guarded_t *block,
                     const void *at);
/* Reports each wrong mark of a block. False: the call may not go on. */
bool hs_guard_examine(const hs_guard_t *guard, const hs_guarded_t *block, bool *wrong);

#endif

#endif
