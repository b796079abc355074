#include "looks.h"

#include <stddef.h>
#include <string.h>

#include "form.h"
#include "letters.h"

/* Does one of the words begin here? They are in small letters, and the last one is NULL. */
static bool begins_one(const char *text, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (hs_log_begins(text, *words)) {
            return true;
        }
    }
    return false;
}

/* Is a number of at least three digits here, as a program prints a size: "= 1234", "1234 bytes"? */
static bool is_size(const char *text, size_t at)
{
    const size_t digits = strspn(text + at, "0123456789");
    if (digits < 3 || (at > 0 && hs_log_word_byte(text[at - 1])) ||
        hs_log_word_byte(text[at + digits]) || text[at + digits] == '.') {
        return false;
    }
    static const char *const units[] = {"b", "kb", "kib", NULL};
    const char *unit = text + at + digits;
    unit += strspn(unit, " ");
    size_t before = at;
    while (before > 0 && text[before - 1] == ' ') {
        before--;
    }
    return begins_one(unit, units) || (before > 0 && strchr(":=(>", text[before - 1]) != NULL);
}

bool hs_log_looks_like_memory(const char *text)
{
    static const char *const heaps[] = {"heap", "alloc", "memory", "psram", "spiram", NULL};
    static const char *const faults[] = {"fail", "exhaust", "unable", "cannot", "no mem", NULL};
    static const char *const places[] = {".c:", ".cpp:", ".h:", "inlined by", "->malloc", NULL};
    bool heap = false, size = false, fault = false;
    for (size_t at = 0; text[at] != 0; at++) {
        if (strchr(".-acefhimnpsu0123456789", hs_log_lower(text[at])) == NULL) {
            continue; /* nothing below begins so */
        }
        if (begins_one(text + at, places)) {
            return false; /* a line of a backtrace */
        }
        heap |= begins_one(text + at, heaps);
        fault |= begins_one(text + at, faults);
        size |= hs_log_is_digit(text[at]) && is_size(text, at);
    }
    return heap && (size || fault);
}
