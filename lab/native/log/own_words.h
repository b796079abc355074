/* Words that a user adds to those of words.c, each with what it means. Private. */
#ifndef HEAPSCOPE_LOG_OWN_WORDS_H
#define HEAPSCOPE_LOG_OWN_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "number.h"
#include "words.h"

#define HS_LOG_OWN_WORDS 64u
#define HS_LOG_OWN_WORD_MAX 32u /* bytes */

typedef enum hs_log_own_status {
    HS_LOG_OWN_OK,
    HS_LOG_OWN_UNKNOWN, /* a word of the meaning is not in words.c */
    HS_LOG_OWN_NOTHING, /* the meaning has no measure, memory or unit */
    HS_LOG_OWN_LENGTH,  /* the word is empty, too long, or begins with a digit or a sign */
    HS_LOG_OWN_MANY     /* there are HS_LOG_OWN_WORDS already */
} hs_log_own_status_t;

typedef struct hs_log_own_word {
    char text[HS_LOG_OWN_WORD_MAX + 1]; /* in small letters */
    uint8_t length;
    uint8_t memory;
    uint32_t means;
    uint32_t unit; /* bytes that a number before it counts; 0: not a unit */
} hs_log_own_word_t;

typedef struct hs_log_own_words {
    size_t count;
    hs_log_own_word_t word[HS_LOG_OWN_WORDS];
} hs_log_own_words_t;

/* Adds a word. Its meaning is made of words of words.c ("largest block", "free internal", "other"), or is
 * a size: "16 bytes". `at`: where the fault of the meaning is. */
hs_log_own_status_t hs_log_own_add(hs_log_own_words_t *own, const char *word, size_t length,
                                   const char *meaning, size_t meaning_length, size_t *at);
/* The longest word of the user at `at`; NULL: none begins and ends there. */
const hs_log_own_word_t *hs_log_own_find(const hs_log_own_words_t *own, const char *text,
                                         size_t at);
/* Does the text have one? */
bool hs_log_own_any(const hs_log_own_words_t *own, const char *text);
/* The number at `at`, with a unit of the user behind it. */
hs_log_number_t hs_log_own_number(const hs_log_own_words_t *own, const char *text, size_t at);

#endif
