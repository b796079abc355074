/* Canaries and tags of one block: written, checked, reported. */
#include "marks.h"

#if HS_GUARD || HS_OWNERS

/* The canary of a word of the head; the last one before the payload depends on the site, too. */
static uint32_t head_canary(const hs_guard_t *guard, const hs_guarded_t *block, uintptr_t at)
{
    const uint32_t canary = hs_canary_at(guard->heap, (const void *)at);
    const bool signs = guard->config->sites && at + 4 == block->raw + block->head;
    return signs ? canary ^ hs_canary_of(hs_read_site(guard, block)) : canary;
}

static void write_canaries(const hs_guard_t *guard, const hs_guarded_t *block, uint32_t owner)
{
    const uintptr_t payload = block->raw + block->head;
    /* bound: HS_HEAD_WORDS */
    for (uintptr_t at = block->raw + hs_site_bytes(guard->config); at < payload; at += 4) {
        *hs_word_at(at) = head_canary(guard, block, at);
    }
    const uintptr_t end = payload + block->size;
    const uintptr_t last = block->raw + block->whole - HS_TRAILER;
    uintptr_t at = end & ~(uintptr_t)3;
    if (at != end) { /* the payload's last bytes stay */
        const uint32_t lanes = hs_lanes_from((uint32_t)(end - at));
        const uint32_t canary = hs_canary_at(guard->heap, (const void *)at);
        *hs_word_at(at) = (*hs_word_at(at) & ~lanes) | (canary & lanes);
        at += 4;
    }
    for (; at < last; at += 4) { /* bound: HS_SLACK_WORDS */
        *hs_word_at(at) = hs_canary_at(guard->heap, (const void *)at);
    }
    const uint32_t more = (block->head - hs_head_least(guard->config)) / 4;
    const uint32_t slack = (uint32_t)(last + HS_TRAILER - end) | more << HS_SLACK_BITS;
    HS_ASSERT(block->head <= hs_site_bytes(guard->config) + 4 * HS_HEAD_WORDS);
    HS_ASSERT(end <= last && last + HS_TRAILER - end <= HS_SLACK_MAX && slack <= 0xFFu);
    *hs_word_at(last) = hs_trailer(guard->heap, (const void *)last, block->whole, slack, owner);
}

void hs_guard_write_marks(const hs_guard_t *guard, const hs_guarded_t *block, hs_tag_t tag)
{
    if (guard->config->sites) {
        *(hs_site_t *)block->raw = tag.site;
    }
    write_canaries(guard, block, tag.owner & HS_OWNER_MAX);
}

/* ---- read back -------------------------------------------------------------------------------- */

void hs_guard_read_marks(const hs_guard_t *guard, uintptr_t raw, uint32_t whole,
                         hs_guarded_t *block)
{
    const hs_guard_config_t *const config = guard->config;
    *block = (hs_guarded_t){raw, whole, 0, whole - hs_tail_of(config), true, HS_OWNER_NONE};
    if (!hs_has_canaries(config)) {
        if (config->owners) {
            const volatile hs_word_t *const last = /* no compiler reads a byte of it */
                hs_word_at(raw + whole - hs_site_bytes(config) - HS_TRAILER);
            block->owner = hs_lanes(*last) >> 24;
        }
        return;
    }
    const hs_word_t *const at = hs_word_at(raw + whole - HS_TRAILER);
    const uint32_t lanes = hs_lanes(*at);
    const uint32_t slack = lanes >> 16 & HS_SLACK_MAX;
    const uint32_t head =
        hs_head_least(config) + 4 * (lanes >> (16 + HS_SLACK_BITS) & (0xFFu >> HS_SLACK_BITS));
    if (*at == hs_trailer(guard->heap, at, whole, lanes >> 16 & 0xFFu, lanes >> 24) &&
        slack >= HS_TRAILER && head + slack <= whole) {
        block->head = head;
        block->size = whole - head - slack;
        block->owner = lanes >> 24;
    } else {
        block->head = hs_head_of(guard);
        block->size = whole > block->head + HS_TRAILER ? whole - block->head - HS_TRAILER : 0;
        block->sound = false;
    }
}

bool hs_guard_has_sound_marks(const hs_guard_t *guard, uintptr_t raw, uint32_t whole, uint32_t head,
                              hs_guarded_t *block)
{
    const hs_heap_t *const heap = guard->heap;
    if (!hs_has_canaries(guard->config)) {
        hs_guard_read_marks(guard, raw, whole, block);
        return true;
    }
    const uintptr_t last = raw + whole - HS_TRAILER;
    const uint32_t trailer = *hs_word_at(last);
    const uint32_t lanes = hs_lanes(trailer);
    const uint32_t slack = lanes >> 16 & HS_SLACK_MAX;
    *block = (hs_guarded_t){raw, whole, head, whole - head - slack, true, lanes >> 24};
    uint32_t wrong =
        trailer ^ hs_trailer(heap, (const void *)last, whole, lanes >> 16 & 0xFFu, lanes >> 24);
    wrong |= head ^ (hs_head_least(guard->config) +
                     4 * (lanes >> (16 + HS_SLACK_BITS) & (0xFFu >> HS_SLACK_BITS)));
    if (wrong != 0 || slack < HS_TRAILER || head + slack > whole) {
        return false;
    }
    uintptr_t at = raw + head - 4;
    wrong = *hs_word_at(at) ^ head_canary(guard, block, at);
    while (at > raw + hs_site_bytes(guard->config)) { /* bound: HS_HEAD_WORDS - 1 */
        at -= 4;
        wrong |= *hs_word_at(at) ^ hs_canary_at(heap, (const void *)at);
    }
    const uintptr_t end = raw + whole - slack;
    at = end & ~(uintptr_t)3;
    /* bound: HS_SLACK_WORDS */
    for (uint32_t ours = hs_lanes_from((uint32_t)(end & 3)); at < last; at += 4) {
        wrong |= (*hs_word_at(at) ^ hs_canary_at(heap, (const void *)at)) & ours;
        ours = UINT32_MAX;
    }
    return wrong == 0;
}

/* ---- checks ----------------------------------------------------------------------------------- */

/* The first byte of the word at `at` that is wrong, of those in `lanes`. */
static const void *wrong_byte(uintptr_t at, uint32_t wanted, uint32_t lanes)
{
    const uint32_t wrong = hs_lanes((*hs_word_at(at) ^ wanted) & lanes);
    return wrong != 0 ? (const void *)(at + hs_word_lowest(wrong) / 8) : NULL;
}

const void *hs_guard_wrong_head(const hs_guard_t *guard, const hs_guarded_t *block)
{
    const uintptr_t payload = block->raw + block->head;
    const void *wrong = NULL;
    uintptr_t at = block->raw + hs_site_bytes(guard->config);
    for (; wrong == NULL && at < payload; at += 4) {
        wrong = wrong_byte(at, head_canary(guard, block, at), UINT32_MAX);
    }
    return wrong;
}

const void *hs_guard_wrong_tail(const hs_guard_t *guard, const hs_guarded_t *block)
{
    const uintptr_t last = block->raw + block->whole - HS_TRAILER;
    if (!block->sound) {
        return (const void *)last;
    }
    const uintptr_t end = block->raw + block->head + block->size;
    const void *wrong = NULL;
    uint32_t lanes = hs_lanes_from((uint32_t)(end & 3));
    for (uintptr_t at = end & ~(uintptr_t)3; wrong == NULL && at < last; at += 4) {
        wrong = wrong_byte(at, hs_canary_at(guard->heap, (const void *)at), lanes);
        lanes = UINT32_MAX;
    }
    return wrong;
}

/* ---- reports ---------------------------------------------------------------------------------- */

bool hs_guard_report(const hs_guard_t *guard, hs_fault_kind_t kind, const hs_guarded_t *block,
                     const void *at)
{
    const hs_guard_config_t *const config = guard->config;
    hs_fault_t fault = {kind, NULL, at, HS_OWNER_NONE, NULL};
    if (block != NULL) {
        fault.block = hs_payload(block);
        fault.owner = block->owner;
        fault.site = hs_read_site(guard, block);
    }
    if (config->report != NULL) {
        config->report(config->context, &fault);
    }
    if (config->policy == HS_POLICY_HALT) {
        for (volatile bool halted = true; halted;) {
        }
    }
    return config->policy == HS_POLICY_CONTINUE;
}

bool hs_guard_examine(const hs_guard_t *guard, const hs_guarded_t *block, bool *wrong)
{
    bool go_on = true;
    const void *const head = hs_guard_wrong_head(guard, block);
    if (head != NULL) {
        go_on = hs_guard_report(guard, HS_FAULT_HEAD, block, head);
    }
    const void *const tail = hs_guard_wrong_tail(guard, block);
    if (tail != NULL) {
        go_on = hs_guard_report(guard, HS_FAULT_TAIL, block, tail) && go_on;
    }
    *wrong = head != NULL || tail != NULL;
    return go_on;
}

#endif
