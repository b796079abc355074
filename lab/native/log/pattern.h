/*
 * A pattern of the user: a regular expression whose groups are numbers. It is matched in a time that is
 * at most the product of the line's bytes and HS_PATTERN_CODE, whatever the pattern (K. Thompson,
 * "Regular Expression Search Algorithm", 1968; with the groups as in R. Cox, "Regular Expression
 * Matching: the Virtual Machine Approach", 2009). Private.
 *
 * It knows . [a-z] [^...] \d \w \s \b ^ $ | ( ) (?: ) (?P<name> ) * + ? {m,n} and their lazy forms.
 */
#ifndef HEAPSCOPE_LOG_PATTERN_H
#define HEAPSCOPE_LOG_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HS_PATTERN_CODE 256u /* steps of the program that it becomes */
#define HS_PATTERN_SETS 24u
#define HS_PATTERN_GROUPS 8u
#define HS_PATTERN_LABEL 64u
#define HS_PATTERN_DEPTH 16u /* groups in groups */

typedef enum hs_pattern_status {
    HS_PATTERN_OK,
    HS_PATTERN_UNCLOSED,    /* a ( or [ without its end, or an end without its begin */
    HS_PATTERN_NOTHING,     /* * + ? or { without something to repeat */
    HS_PATTERN_RANGE,       /* the ends of a range or of {m,n} are the wrong way round */
    HS_PATTERN_UNSUPPORTED, /* an escape, a flag, a look at what follows */
    HS_PATTERN_LONG,        /* it becomes more than HS_PATTERN_CODE steps, or is too deep */
    HS_PATTERN_MANY,        /* more than HS_PATTERN_GROUPS groups */
    HS_PATTERN_NO_GROUP     /* no ( ) whose number could be kept */
} hs_pattern_status_t;

typedef struct hs_pattern_step {
    uint8_t what, arg;
    uint16_t x, y;
} hs_pattern_step_t;

typedef struct hs_pattern {
    size_t code_count, set_count, group_count;
    hs_pattern_step_t code[HS_PATTERN_CODE];
    uint8_t sets[HS_PATTERN_SETS][32];
    uint8_t first[32]; /* bytes that a match can begin with */
    bool begins_anywhere;
    char label[HS_PATTERN_GROUPS]
              [HS_PATTERN_LABEL]; /* the name of a group, or the text before it */
} hs_pattern_t;

/* `at`: where the fault of a pattern was found. */
hs_pattern_status_t hs_pattern_compile(hs_pattern_t *pattern, const char *text, size_t length,
                                       size_t *at);

/* The first match in a line of less than 65536 bytes: begin and end of each group, which are equal where
 * it took no part; and its own end. False: none. */
bool hs_pattern_find(const hs_pattern_t *pattern, const char *text, size_t length,
                     uint16_t (*groups)[2], size_t *end);

/* Fills `first` and `begins_anywhere` from the steps. */
void hs_pattern_find_first(hs_pattern_t *pattern);

/* Steps. */
enum {
    HS_STEP_BYTE,
    HS_STEP_ANY,
    HS_STEP_SET,
    HS_STEP_SPLIT, /* first x, then y */
    HS_STEP_JUMP,
    HS_STEP_SAVE,
    HS_STEP_BEGIN,
    HS_STEP_END,
    HS_STEP_EDGE, /* of a word */
    HS_STEP_MATCH
};

#endif
