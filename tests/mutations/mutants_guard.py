"""Broken in the guard."""

from __future__ import annotations

from mutant import Mutant

FAULTS = "tests/device/test_guard_faults.c"
LINKS = "tests/device/test_guard_links.c"
SHADOW = "tests/device/test_guard_shadow.c"
POLICY = "tests/device/test_guard_policy.c"

GUARD = (
    Mutant(
        "seal of the guarded heap",
        "a malloc does not look at it",
        "device/src/guard/guard.c::hs_guard_malloc",
        "size - 1 >= HS_WIDE_MAX || !hs_can_begin(guard)",
        "size - 1 >= HS_WIDE_MAX",
        LINKS,
    ),
    Mutant(
        "seal of the guarded heap",
        "an end beyond all heaps is sealed, too",
        "device/src/guard/links.h::hs_is_sealed",
        "heap->end * 5 + (shape & HS_UNIT) + 2 * (uint32_t)hs_is_wide(heap);",
        "((heap->end * 5 + (shape & HS_UNIT) + 2 * (uint32_t)hs_is_wide(heap)) & HS_SEAL_MASK);",
        LINKS,
    ),
    Mutant(
        "links of the guard",
        "the bin that a freed block goes to is not looked at",
        "device/src/guard/guard_links.c::can_merge",
        "return hs_is_in_bin(bin, beside) || hs_guard_can_insert(heap, bin, next, before);",
        "return true;",
        LINKS,
    ),
    Mutant(
        "links of the guard",
        "a merged neighbour stands for its bin",
        "device/src/guard/guard_search.c::hs_guard_can_insert",
        "i < 2 && head != 0 &&",
        "i < 0 && head != 0 &&",
        LINKS,
    ),
    Mutant(
        "links of the guard",
        "the rest of a malloc goes to any bin",
        "device/src/guard/guard_search.c::hs_guard_candidate",
        "hs_is_in_bin(bin, left) ||",
        "true ||",
        LINKS,
    ),
    Mutant(
        "links of the guard",
        "blocks behind one of just the wanted size are not looked at",
        "device/src/guard/guard_search.c::search",
        "return best_of(heap, *bin, 0, &look);",
        "return best_of(heap, *bin, granules, &look);",
        LINKS,
    ),
    Mutant(
        "links of the guard",
        "a link back is not compared",
        "device/src/guard/search.h::hs_is_sound",
        "hs_at(heap, next)[HS_PREVIOUS] == block &&",
        "",
        LINKS,
    ),
    Mutant(
        "links of the guard",
        "the list of slabs is taken as it is",
        "device/src/guard/guard_links.c::look_at_slot",
        "first_slab(heap, kind) != HS_UNSOUND;",
        "true;",
        LINKS,
    ),
    Mutant(
        "faults found by canaries",
        "the last words before a trailer are not compared",
        "device/src/guard/guard_marks.c::hs_guard_has_sound_marks",
        "wrong |= (*hs_word_at(at) ^ hs_canary_at(heap, (const void *)at)) & ours;",
        "wrong |= 0;",
        FAULTS,
    ),
    Mutant(
        "faults found by canaries",
        "a head longer than it must be is half looked at",
        "device/src/guard/guard_marks.c::hs_guard_has_sound_marks",
        "while (at > raw + hs_site_bytes(guard->config)) {",
        "while (false) {",
        FAULTS,
    ),
    Mutant(
        "faults found by canaries",
        "the trailer does not depend on the block's size",
        "device/src/guard/marks.h::hs_trailer",
        "owner ^ slack >> 6 ^ whole >> 3",
        "owner ^ slack >> 6",
        FAULTS,
    ),
    Mutant(
        "faults found in free memory",
        "the words of a malloc's rest are overwritten unseen",
        "device/src/guard/guard.c::take_filled",
        "hs_guard_wrong_free(heap, block, 2 * granules + HS_OWN_WORDS)",
        "hs_guard_wrong_free(heap, block, 2 * granules)",
        FAULTS,
    ),
    Mutant(
        "bytes of a guarded block",
        "the granule that was left over is forgotten",
        "device/src/heap/layout.h::hs_taken_size",
        "return granules + (hs_bit(bitmap, block + granules) ^ 1u);",
        "return granules;",
        SHADOW,
    ),
    Mutant(
        "policy of the guard",
        "a fault that goes on is refused",
        "device/src/guard/guard_marks.c::hs_guard_report",
        "return config->policy == HS_POLICY_CONTINUE;",
        "return false;",
        POLICY,
    ),
)
