#include "scope.h"

#include <string.h>

#include "form.h"
#include "measure.h"
#include "words.h"

#define HEADING_MAX 72u /* bytes; a longer line heads nothing */

void hs_log_scope_begin(hs_log_scope_t *scope, uint64_t line)
{
    scope->depth = scope->goes_on ? scope->depth : 0;
    scope->headed = scope->headed && line == scope->line + 1;
    scope->line = line;
}

/* Does a line without a number announce what stands below it: "MALLOC_CAP_INTERNAL:", "HEAP INFO",
 * "=== Heap ===", "uart:~$ kernel heap"? */
static bool heads(const hs_log_own_words_t *own, const char *text, size_t length,
                  hs_log_heading_t *heading)
{
    *heading = (hs_log_heading_t){-1, 0};
    size_t words = 0;
    uint32_t last = 0;
    if (length == 0 || length > HEADING_MAX) {
        return false;
    }
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (end < length && hs_log_word_byte(text[end]) && text[end] != '_') {
            end++;
        }
        hs_log_word_t word = hs_log_word_find(text + at, end - at);
        const hs_log_own_word_t *added = hs_log_own_find(own, text, at);
        if (added != NULL && at + added->length <= length) {
            word = (hs_log_word_t){added->means, added->memory};
            end = at + added->length;
        }
        words += end > at;
        last = end > at ? word.means : last;
        heading->means |= word.means;
        heading->memory = word.means & HS_WORD_MEMORY ? word.memory : heading->memory;
        if (end > at && word.means == 0 && text[at] >= '0' && text[at] <= '9') {
            return false;
        }
        at = end > at ? end : at + 1;
    }
    const bool shaped = strchr(":=-*#]>", text[length - 1]) != NULL ||
                        (words < 6 && last & (HS_WORD_HEAP | HS_WORD_MEMORY)) || words < 4;
    return shaped && words < 9 && heading->means & (HS_WORD_HEAP | HS_WORD_MEMORY) &&
           (heading->means & HS_WORD_NO_HEAP) == 0;
}

void hs_log_scope_end(hs_log_scope_t *scope, const char *text, size_t length, bool has_figures)
{
    const char end = length == 0 ? ' ' : text[length - 1];
    scope->goes_on = scope->depth != 0 && strchr("{[,", end) != NULL;
    if (has_figures || scope->depth != 0) {
        return;
    }
    hs_log_heading_t heading;
    if (heads(scope->own, text, length, &heading)) {
        scope->headed = true;
        scope->heading = heading;
    } else if (end == ':' || strpbrk(text, "0123456789") == NULL) {
        scope->headed = scope->headed && strpbrk(text, ".;") == NULL &&
                        strspn(text, "-=*+ ") == length; /* a ruled line goes on */
    }
}

void hs_log_scope_open(hs_log_scope_t *scope, hs_log_heading_t key)
{
    if (scope->depth < HS_LOG_OBJECTS) {
        scope->object[scope->depth] = key;
    }
    scope->depth++;
}

void hs_log_scope_close(hs_log_scope_t *scope)
{
    scope->depth -= scope->depth != 0;
}

int hs_log_scope_memory(const hs_log_scope_t *scope)
{
    const size_t known = scope->depth < HS_LOG_OBJECTS ? scope->depth : HS_LOG_OBJECTS;
    for (size_t at = known; at > 0; at--) {
        if (scope->object[at - 1].memory >= 0) {
            return scope->object[at - 1].memory;
        }
    }
    return -1;
}

uint32_t hs_log_scope_means(const hs_log_scope_t *scope)
{
    uint32_t means = 0;
    for (size_t at = 0; at < scope->depth && at < HS_LOG_OBJECTS; at++) {
        means |= scope->object[at].means;
    }
    return means;
}
