#include "trace.h"

#include <stdbool.h>
#include <string.h>

#include "form.h"

static const char hex[] = "0123456789abcdefABCDEF";
static const char decimal[] = "0123456789";
#define FRAMES_MAX 32u /* of a backtrace that are kept */

/* Copies a text into the name of a fact, and on into facts behind it; returns how many these are. */
static size_t spread(hs_lab_log_fact_t *fact, size_t capacity, const char *text, size_t length)
{
    size_t more = 0;
    hs_log_copy(fact->name, sizeof fact->name, text, length);
    size_t done = strlen(fact->name);
    while (done < length && more < capacity) {
        hs_lab_log_fact_t *next = fact + ++more;
        hs_log_fact_clear(next);
        next->kind = HS_LOG_MORE;
        hs_log_copy(next->name, sizeof next->name, text + done, length - done);
        done += strlen(next->name);
    }
    return more;
}

/* Length of a caller, "0x400d276d" or "(nil)"; 0: none. */
static size_t caller(const char *text)
{
    if (strncmp(text, "(nil)", 5) == 0) {
        return 5;
    }
    const size_t digits = strncmp(text, "0x", 2) == 0 ? strspn(text + 2, hex) : 0;
    return digits == 0 || digits > 8 ? 0 : 2 + digits;
}

size_t hs_log_callers_read(const char *text, size_t *at, hs_lab_log_fact_t *fact, size_t capacity)
{
    const bool record = fact->kind == HS_LOG_TRACE_RECORD;
    if ((!record && fact->kind != HS_LOG_TRACE_FREED) || (fact->flags & HS_LOG_CUT) != 0) {
        return 0;
    }
    const char *here = text + *at + strspn(text + *at, " ");
    if (record && strncmp(here, "caller", 6) == 0) {
        here += 6 + strspn(here + 6, " ");
    }
    const char *start = here, *end = here;
    for (size_t length; (length = caller(here)) != 0;) {
        end = here += length;
        here += *here == ':';
    }
    *at = (size_t)((end == start ? text + *at : here) - text);
    if (record) {
        const char *behind = here + strspn(here, " ");
        fact->used = strncmp(behind, "freed", 5) != 0 || hs_log_word_byte(behind[5]);
        fact->has |= HS_LOG_HAS_USED;
    }
    return spread(fact, capacity, start, (size_t)(end - start));
}

/* The address at `text`, of eight digits; false: none. */
static bool address_read(const char *text, int64_t *address)
{
    if (strspn(text + 2, hex) != 8) {
        return false;
    }
    *address = 0;
    for (size_t i = 2; i < 10; i++) {
        const char byte = text[i];
        *address = *address * 16 + (byte <= '9' ? byte - '0' : (byte | 32) - 'a' + 10);
    }
    return true;
}

/* Behind "main.c:27" in a text that ends a line or goes on after a blank; NULL: none. */
static const char *place_end(const char *text)
{
    for (const char *colon = strchr(text, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
        const char *end = colon + 1;
        end += *end == '?' ? 1 : strspn(end, decimal);
        if (colon != text && end != colon + 1 && (*end == 0 || *end == ' ')) {
            return end;
        }
    }
    return NULL;
}

size_t hs_log_frame_read(const char *text, hs_lab_log_fact_t *facts, size_t capacity)
{
    for (const char *at = strstr(text, "0x"); at != NULL; at = strstr(at + 2, "0x")) {
        int64_t address;
        if ((at != text && strchr(" >]", at[-1]) == NULL) || !address_read(at, &address)) {
            continue;
        }
        const char *behind = at + 10;
        const size_t word = strncmp(behind, ": ", 2) == 0     ? 2
                            : strncmp(behind, " in ", 4) == 0 ? 4
                                                              : 0;
        const char *name = behind + word;
        const char *place = word == 0 ? NULL : strstr(name, " at ");
        const char *end = place == NULL || place == name ? NULL : place_end(place + 4);
        if (end == NULL) {
            continue;
        }
        const char *file = end;
        while (file > place + 4 && file[-1] != '/' && file[-1] != '\\') {
            file--;
        }
        hs_log_fact_clear(facts);
        facts->kind = HS_LOG_FRAME;
        facts->address = address;
        facts->has = HS_LOG_HAS_ADDRESS;
        hs_log_copy(facts->text, sizeof facts->text, file, (size_t)(end - file));
        return 1 + spread(facts, capacity - 1, name, (size_t)(place - name));
    }
    return 0;
}

size_t hs_log_backtrace_read(const char *text, hs_lab_log_fact_t *facts, size_t capacity)
{
    const char *here = strstr(text, "Backtrace:");
    char list[FRAMES_MAX * 11];
    size_t length = 0;
    here = here == NULL ? text : here + 10;
    while (length < sizeof list) {
        int64_t address;
        here += strspn(here, " ");
        if (strncmp(here, "0x", 2) != 0 || !address_read(here, &address)) {
            break;
        }
        memcpy(list + length, here, 10);
        list[length + 10] = ' ';
        length += 11;
        here += 10;
        here += *here == ':' ? strcspn(here, " ") : 0; /* and the stack pointer */
    }
    if (length == 0) {
        return 0;
    }
    hs_log_fact_clear(facts);
    facts->kind = HS_LOG_BACKTRACE;
    return 1 + spread(facts, capacity - 1, list, length - 1);
}
