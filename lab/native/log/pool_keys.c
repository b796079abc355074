#include "pool_keys.h"

#include <stdbool.h>
#include <string.h>

#include "form.h"

#define KEY_MAX 32u /* bytes of a label */

static const struct {
    const char *text;
    uint32_t means;
} keys[] = {
    {"total", HS_LOG_HAS_TOTAL},
    {"size", HS_LOG_HAS_TOTAL},
    {"total size", HS_LOG_HAS_TOTAL},
    {"pool size", HS_LOG_HAS_TOTAL},
    {"heap size", HS_LOG_HAS_TOTAL},
    {"capacity", HS_LOG_HAS_TOTAL},
    {"total packets", HS_LOG_HAS_TOTAL},
    {"total blocks", HS_LOG_HAS_TOTAL},
    {"total buffers", HS_LOG_HAS_TOTAL},
    {"total bytes", HS_LOG_HAS_TOTAL},
    {"elements", HS_LOG_HAS_TOTAL},
    {"count", HS_LOG_HAS_TOTAL},
    {"cnt", HS_LOG_HAS_TOTAL},
    {"free", HS_LOG_HAS_FREE},
    {"avail", HS_LOG_HAS_FREE},
    {"available", HS_LOG_HAS_FREE},
    {"available packets", HS_LOG_HAS_FREE},
    {"available bytes", HS_LOG_HAS_FREE},
    {"left", HS_LOG_HAS_FREE},
    {"remaining", HS_LOG_HAS_FREE},
    {"free size", HS_LOG_HAS_FREE},
    {"free space", HS_LOG_HAS_FREE},
    {"free bytes", HS_LOG_HAS_FREE},
    {"bytes free", HS_LOG_HAS_FREE},
    {"free packets", HS_LOG_HAS_FREE},
    {"used", HS_LOG_HAS_USED},
    {"in use", HS_LOG_HAS_USED},
    {"inuse", HS_LOG_HAS_USED},
    {"allocated", HS_LOG_HAS_USED},
    {"allocated bytes", HS_LOG_HAS_USED},
    {"usage", HS_LOG_HAS_USED},
    {"current usage", HS_LOG_HAS_USED},
    {"used bytes", HS_LOG_HAS_USED},
    {"used size", HS_LOG_HAS_USED},
    {"max", HS_LOG_HAS_PEAK},
    {"peak", HS_LOG_HAS_PEAK},
    {"max used", HS_LOG_HAS_PEAK},
    {"maxused", HS_LOG_HAS_PEAK},
    {"max allocated", HS_LOG_HAS_PEAK},
    {"max usage", HS_LOG_HAS_PEAK},
    {"peak usage", HS_LOG_HAS_PEAK},
    {"peak used", HS_LOG_HAS_PEAK},
    {"high watermark", HS_LOG_HAS_PEAK},
    {"high water mark", HS_LOG_HAS_PEAK},
    {"largest", HS_LOG_HAS_LARGEST},
    {"biggest", HS_LOG_HAS_LARGEST},
    {"largest free", HS_LOG_HAS_LARGEST},
    {"biggest free", HS_LOG_HAS_LARGEST},
    {"maxfree", HS_LOG_HAS_LARGEST},
    {"free biggest size", HS_LOG_HAS_LARGEST},
    {"largest block", HS_LOG_HAS_LARGEST},
    {"largest free block", HS_LOG_HAS_LARGEST},
    {"min", HS_LOG_HAS_MIN},
    {"low watermark", HS_LOG_HAS_MIN},
    {"low water mark", HS_LOG_HAS_MIN},
    {"min free", HS_LOG_HAS_MIN},
    {"minimum free", HS_LOG_HAS_MIN},
    {"err", HS_LOG_HAS_COUNT},
    {"errors", HS_LOG_HAS_COUNT},
    {"fail", HS_LOG_HAS_COUNT},
    {"fails", HS_LOG_HAS_COUNT},
    {"failed", HS_LOG_HAS_COUNT},
    {"failures", HS_LOG_HAS_COUNT},
    {"alloc fail", HS_LOG_HAS_COUNT},
    {"alloc failures", HS_LOG_HAS_COUNT},
    {"empty requests", HS_LOG_HAS_COUNT},
    {"oom count", HS_LOG_HAS_COUNT},
    {"frag", HS_LOG_HAS_FREE_COUNT},
    {"fragments", HS_LOG_HAS_FREE_COUNT},
    {"free blocks", HS_LOG_HAS_FREE_COUNT},
    {"requested", HS_LOG_HAS_SIZE},
    {"request", HS_LOG_HAS_SIZE},
    {"max used size", HS_LOG_HAS_PEAK},
    {"available size", HS_LOG_HAS_FREE},
    {"name", HS_POOL_NAME},
    {"memheap", HS_POOL_NAME},
    {"task", HS_POOL_NAME},
    {"task name", HS_POOL_NAME},
    {"pool", HS_POOL_NAME},
    {"state", HS_POOL_SKIP},
    {"status", HS_POOL_SKIP},
    {"prio", HS_POOL_SKIP},
    {"priority", HS_POOL_SKIP},
    {"num", HS_POOL_SKIP},
    {"id", HS_POOL_SKIP},
    {"core", HS_POOL_SKIP},
    {"affinity", HS_POOL_SKIP},
    {"nused", HS_POOL_SKIP},
    {"nfree", HS_POOL_SKIP},
    {"address", HS_POOL_SKIP},
    {"blksz", HS_POOL_SKIP},
    {"block size", HS_POOL_SKIP},
    {"buffer size", HS_POOL_SKIP},
    {"element size", HS_POOL_SKIP},
    {"packet size", HS_POOL_SKIP},
    {"pool size b", HS_POOL_SKIP}, /* beside packets */
    {"total freed", HS_POOL_SKIP},
    {"total allocated", HS_POOL_SKIP},
    {"memory layout", HS_POOL_SKIP},
    {"payload size", HS_POOL_SKIP},
    {"empty suspends", HS_POOL_SKIP},
    {"empty suspensions", HS_POOL_SKIP},
    {"invalid rels", HS_POOL_SKIP},
    {"invalid releases", HS_POOL_SKIP},
    {"heap id", HS_POOL_SKIP},
    {"max alloc request", HS_POOL_SKIP},
    {"low watermark isr", HS_POOL_SKIP},
    {"stack", HS_POOL_STACK | HS_LOG_HAS_FREE},
    {"hwm", HS_POOL_STACK | HS_LOG_HAS_FREE},
    {"peak dram", HS_POOL_DRAM | HS_LOG_HAS_PEAK},
    {"peak iram", HS_POOL_IRAM | HS_LOG_HAS_PEAK},
    {"minimum free dram", HS_POOL_DRAM | HS_LOG_HAS_MIN},
    {"minumum free dram", HS_POOL_DRAM | HS_LOG_HAS_MIN}, /* as it is printed */
    {"minimum free iram", HS_POOL_IRAM | HS_LOG_HAS_MIN},
};

/* Small letters, with one blank between words and none at an end; its length, KEY_MAX: it is longer. */
static size_t plain(const char *text, size_t length, char *out)
{
    size_t count = 0;
    bool gap = false;
    for (size_t i = 0; i < length; i++) {
        const char byte = text[i];
        if (!hs_log_word_byte(byte) || byte == '_') {
            gap |= count != 0;
            continue;
        }
        if (count + gap + 1 >= KEY_MAX) {
            return KEY_MAX;
        }
        if (gap) {
            out[count++] = ' ';
        }
        gap = false;
        out[count++] = byte >= 'A' && byte <= 'Z' ? (char)(byte + ('a' - 'A')) : byte;
    }
    out[count] = 0;
    return count;
}

uint32_t hs_log_pool_key(const char *text, size_t length)
{
    char label[KEY_MAX];
    const size_t count = plain(text, length, label);
    for (size_t i = 0; count != 0 && count < KEY_MAX && i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(keys[i].text, label) == 0) {
            return keys[i].means;
        }
    }
    return 0;
}

uint32_t hs_log_pool_key_last(const char *text, size_t length, size_t *at)
{
    for (size_t start = length > KEY_MAX ? length - KEY_MAX : 0; start < length; start++) {
        const bool begins =
            hs_log_word_byte(text[start]) && text[start] != '_' &&
            (start == 0 || !hs_log_word_byte(text[start - 1]) || text[start - 1] == '_');
        const uint32_t means = begins ? hs_log_pool_key(text + start, length - start) : 0;
        if (means != 0) {
            *at = start;
            return means;
        }
    }
    return 0;
}
