/* Letters and digits of ASCII, whatever the locale of the host says. Private. */
#ifndef HEAPSCOPE_LOG_LETTERS_H
#define HEAPSCOPE_LOG_LETTERS_H

#include <stdbool.h>
#include <stddef.h>

static inline char hs_log_lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte + ('a' - 'A')) : byte;
}

static inline bool hs_log_is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Does the text begin with the small letters of `part`, in any case? */
static inline bool hs_log_begins(const char *text, const char *part)
{
    while (*part != 0 && hs_log_lower(*text) == *part) {
        text++;
        part++;
    }
    return *part == 0;
}

/* Does the text contain the small letters of `part`, in any case? */
static inline bool hs_log_contains(const char *text, const char *part)
{
    while (*text != 0 && !hs_log_begins(text, part)) {
        text++;
    }
    return *text != 0;
}

#endif
