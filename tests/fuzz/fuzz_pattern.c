/*
 * Any pattern of a user (the first line) on any text (the rest): a fault lies inside the pattern, groups
 * lie inside the text, and a group without a number around the whole changes nothing.
 */
#include <string.h>

#include "fuzz.h"
#include "held.h"
#include "log/pattern.h"

#define MOST_PATTERN 512u
#define MOST_TEXT 2048u

typedef struct hs_match {
    bool any;
    size_t end;
    uint16_t groups[HS_PATTERN_GROUPS][2];
} hs_match_t;

static hs_match_t find(const hs_pattern_t *pattern, const char *text, size_t length)
{
    hs_match_t match = {0};
    match.any = hs_pattern_find(pattern, text, length, match.groups, &match.end);
    if (!match.any) {
        return (hs_match_t){0};
    }
    FUZZ_REQUIRE(match.end <= length);
    for (size_t i = 0; i < pattern->group_count; i++) {
        FUZZ_REQUIRE(match.groups[i][0] <= match.groups[i][1] && match.groups[i][1] <= match.end);
    }
    return match;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static hs_pattern_t pattern, wrapped;
    static char around[MOST_PATTERN + 4];
    const uint8_t *newline = size != 0 ? memchr(data, '\n', size) : NULL;
    size_t length = newline != NULL ? (size_t)(newline - data) : size;
    size_t text_length = newline != NULL ? size - length - 1 : 0;
    length = length < MOST_PATTERN ? length : MOST_PATTERN;
    text_length = text_length < MOST_TEXT ? text_length : MOST_TEXT;
    const char *text = newline != NULL ? (const char *)newline + 1 : "";

    size_t at = 0;
    hs_held_reset();
    const hs_pattern_status_t status =
        hs_pattern_compile(&pattern, (const char *)data, length, &at);
    if (status != HS_PATTERN_OK) {
        FUZZ_REQUIRE(at <= length);
        return 0;
    }
    FUZZ_REQUIRE(pattern.group_count >= 1 && pattern.group_count <= HS_PATTERN_GROUPS);
    const hs_match_t plain = find(&pattern, text, text_length);

    memcpy(around, "(?:", 3);
    memcpy(around + 3, data, length);
    around[length + 3] = ')';
    if (hs_pattern_compile(&wrapped, around, length + 4, &at) == HS_PATTERN_OK) {
        const hs_match_t same = find(&wrapped, text, text_length);
        FUZZ_REQUIRE(same.any == plain.any && same.end == plain.end);
        for (size_t i = 0; i < pattern.group_count; i++) {
            FUZZ_REQUIRE(same.groups[i][0] == plain.groups[i][0]);
            FUZZ_REQUIRE(same.groups[i][1] == plain.groups[i][1]);
        }
    }
    FUZZ_REQUIRE(hs_held_calls() == 0);
    return 0;
}
