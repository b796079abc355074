/* The verdicts about what stays, for the binding. */
#include "leaks/leaks.h"

#include "lab/lab.h"

int hs_lab_leaks(const hs_lab_holder_row_t *holders, size_t holder_count,
                 const hs_lab_life_row_t *lives, size_t life_count, const hs_lab_live_row_t *live,
                 size_t live_count, int whole, hs_lab_leak_row_t *rows, size_t capacity,
                 size_t *count)
{
    const hs_leak_question_t question = {.holders = holders,
                                         .holder_count = holder_count,
                                         .lives = lives,
                                         .life_count = life_count,
                                         .live = live,
                                         .live_count = live_count,
                                         .whole = whole != 0};
    return (int)hs_leaks(&question, rows, capacity, count);
}

const char *hs_lab_leak_reason_text(uint32_t reason)
{
    static const char *const texts[] = {
        [HS_LAB_LEAK_NOT_WHOLE] = "events are missing, perhaps its frees",
        [HS_LAB_LEAK_ONLY_GROWTH] =
            "nearly all that its task allocated stayed, so that nothing tells how time went by",
        [HS_LAB_LEAK_SHORT] = "too few allocations",
        [HS_LAB_LEAK_RETURNS] = "it returns to its level",
        [HS_LAB_LEAK_STOPPED] = "it grew and then stopped growing",
        [HS_LAB_LEAK_FADES] = "it grows more and more slowly",
        [HS_LAB_LEAK_BEGAN] = "all of it was allocated at the beginning",
        [HS_LAB_LEAK_UNEVEN] =
            "its task does hardly anything else, too seldom or too unevenly to tell how it goes on",
        [HS_LAB_LEAK_LARGER] = "its blocks become no more, but larger and larger",
        [HS_LAB_LEAK_OPEN] = "what stayed may be a leak or may stop growing",
    };
    return reason < sizeof texts / sizeof texts[0] ? texts[reason] : "";
}
