#include "context.h"

#include <string.h>

#include "form.h"
#include "letters.h"
#include "words.h"

#define HEADING_MAX 48u /* bytes of a heading of one figure */

/* A decimal number that ends before `end` and has at most 15 digits; false: none. */
static bool number_before(const char *text, size_t end, int64_t *value)
{
    size_t start = end;
    *value = 0;
    while (start > 0 && hs_log_is_digit(text[start - 1]) && end - start < 16) {
        start--;
    }
    for (size_t at = start; at < end; at++) {
        *value = *value * 10 + (text[at] - '0');
    }
    return start < end && end - start < 16;
}

/* 1 + the memory of a heading of words alone that speaks of what is free of a heap, "Free Heap bytes";
 * 0: another line. */
static uint8_t heading(const char *text, size_t length)
{
    uint32_t means = 0;
    uint8_t memory = HS_LOG_MEMORY_ANY;
    for (size_t at = strspn(text, "|> "); at < length && length < HEADING_MAX;) {
        size_t end = at;
        while (hs_log_word_byte(text[end]) && !hs_log_is_digit(text[end])) {
            end++;
        }
        const hs_log_word_t word = hs_log_word_find(text + at, end - at);
        const bool last = end + strspn(text + end, ": ") >= length;
        if (end == at || (text[end] != ' ' && !last)) {
            return 0;
        }
        means |= word.means;
        memory = word.means & HS_WORD_MEMORY ? word.memory : memory;
        at = end + strspn(text + end, ": ");
    }
    return means == (HS_WORD_FREE | HS_WORD_HEAP) ? (uint8_t)(1 + memory) : 0;
}

/* 1 + the memory that a prompt is asked for; 0: nothing is asked. */
static uint8_t question(const char *text, size_t length)
{
    static const struct {
        const char *call;
        uint8_t memory;
    } calls[] = {{"mem_free()", HS_LOG_MEMORY_PYTHON},
                 {"node.heap()", HS_LOG_MEMORY_ANY},
                 {"freemem()", HS_LOG_MEMORY_ANY},
                 {"getFreeHeap()", HS_LOG_MEMORY_ANY}};
    while (length > 0 && text[length - 1] == ')' && length > 1 && text[length - 2] == ')') {
        length--; /* print(...) */
    }
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const size_t size = strlen(calls[i].call);
        if (length >= size && memcmp(text + length - size, calls[i].call, size) == 0) {
            return (uint8_t)(1 + calls[i].memory);
        }
    }
    return heading(text, length);
}

static bool answer_read(uint8_t requested, const char *text, size_t length, hs_lab_log_fact_t *fact)
{
    const size_t start = strspn(text, "|> ");
    if (start == length || strspn(text + start, "0123456789") != length - start ||
        !number_before(text, length, &fact->free)) {
        return false;
    }
    fact->kind = HS_LOG_FIGURES;
    fact->memory = (uint8_t)(requested - 1);
    fact->has = HS_LOG_HAS_FREE;
    return true;
}

/* A row of ps: the columns stand where the head has them. */
static bool process_read(const hs_log_context_t *context, const char *text, size_t length,
                         hs_lab_log_fact_t *fact)
{
    const size_t start = strspn(text, " ");
    const size_t end = start + strspn(text + start, "0123456789");
    if (length <= context->command || text[context->heap_end] != ' ' ||
        !number_before(text, end, &fact->code) ||
        !number_before(text, context->heap_end, &fact->used)) {
        return false;
    }
    fact->kind = HS_LOG_NUTTX_TASK;
    fact->has = HS_LOG_HAS_USED | HS_LOG_HAS_CODE;
    hs_log_copy(fact->name, sizeof fact->name, text + context->command, length - context->command);
    return true;
}

/* "3FFAFB48   1 Blk esp_timer  424  712  4096  35952  644  25804 ...": a handle, a number, a state and
 * a name, three figures of the stack, then bytes of 8-bit memory, of 32-bit memory and of SPIRAM. */
static bool ovms_task_read(const char *text, hs_lab_log_fact_t *fact)
{
    static const char blanks[] = " ", digits[] = "0123456789";
    text += strspn(text, blanks);
    if (strspn(text, "0123456789ABCDEF") != 8 || text[8] != ' ') {
        return false;
    }
    text += 8 + strspn(text + 8, blanks);
    text += strspn(text, digits);
    text += strspn(text, blanks);
    text += strcspn(text, blanks); /* the state */
    text += strspn(text, blanks);
    const char *name = text;
    while (*text != 0 && !(text[0] == ' ' && hs_log_is_digit(text[strspn(text, blanks)]))) {
        text++;
    }
    const size_t name_length = (size_t)(text - name);
    int64_t figures[6];
    for (size_t i = 0; i < 6; i++) {
        text += strspn(text, blanks);
        const size_t length = strspn(text, digits);
        if (length == 0 || !number_before(text, length, &figures[i])) {
            return false;
        }
        text += length;
    }
    fact->kind = HS_LOG_OVMS_TASK;
    fact->has = HS_LOG_HAS_USED | HS_LOG_HAS_SIZE | HS_LOG_HAS_TOTAL;
    fact->used = figures[3];
    fact->size = figures[4];
    fact->total = figures[5];
    hs_log_copy(fact->name, sizeof fact->name, name, name_length);
    hs_log_copy(fact->text, sizeof fact->text, "tasks", 5);
    return true;
}

/* "Mem:  1048576  50000  998576  998000", below "total used free largest". */
static bool nuttx_read(const char *text, hs_lab_log_fact_t *fact)
{
    int64_t *const into[] = {&fact->total, &fact->used, &fact->free, &fact->largest};
    text += strspn(text, " ");
    if (strncmp(text, "Mem:", 4) != 0) {
        return false;
    }
    text += 4;
    for (size_t i = 0; i < 4; i++) {
        text += strspn(text, " ");
        const size_t length = strspn(text, "0123456789");
        if (!number_before(text, length, into[i])) {
            return false;
        }
        text += length;
    }
    fact->kind = HS_LOG_NUTTX_FREE;
    fact->has = HS_LOG_HAS_TOTAL | HS_LOG_HAS_USED | HS_LOG_HAS_FREE | HS_LOG_HAS_LARGEST;
    hs_log_copy(fact->name, sizeof fact->name, "Umem", 4);
    return true;
}

bool hs_log_context_read(hs_log_context_t *context, const char *text, size_t length,
                         hs_lab_log_fact_t *fact)
{
    const uint8_t requested = context->requested;
    context->requested = question(text, length);
    if (requested != 0 && answer_read(requested, text, length, fact)) {
        return true;
    }
    const bool below_head = context->nuttx_free;
    const char *used = strstr(text, " used "), *free = strstr(text, " free ");
    context->nuttx_free = used != NULL && free > used && strstr(free, " largest") != NULL &&
                          strpbrk(text, "0123456789") == NULL;
    if (below_head && nuttx_read(text, fact)) {
        return true;
    }
    const char *heap = strstr(text, " HEAP ");
    const char *command = strstr(text, "COMMAND");
    if (heap != NULL && command > heap && strstr(text, "PID ") != NULL) {
        context->heap_end = (size_t)(heap - text) + 5;
        context->command = (size_t)(command - text);
        return false;
    }
    if (strstr(text, "Heap 32-bit SPIRAM") != NULL) {
        context->ovms_tasks = true;
        return false;
    }
    if (context->ovms_tasks && (context->ovms_tasks = ovms_task_read(text, fact))) {
        return true;
    }
    if (context->heap_end != 0 && process_read(context, text, length, fact)) {
        return true;
    }
    context->heap_end = 0;
    return false;
}
