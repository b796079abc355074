#include "words.h"

#include <string.h>

#include "letters.h"
#include "rows/log.h"

#define WORD_MAX 31u /* bytes of a word; a longer one is unknown */

#define FREE HS_WORD_FREE
#define HEAP HS_WORD_HEAP
#define OF(kind) HS_WORD_MEMORY, HS_LOG_MEMORY_##kind

static const struct {
    const char *text;
    uint32_t means;
    uint8_t memory;
} table[] = {
    /* In the order of strcmp. Entries without a meaning only split compound words. */
    {"32bit", OF(32BIT)},
    {"8bit", OF(8BIT)},
    {"alloc", HS_WORD_ALLOC, 0},
    {"allocated", HS_WORD_USED, 0},
    {"allocations", HS_WORD_COUNT, 0},
    {"alloced", HS_WORD_USED, 0},
    {"avail", FREE, 0},
    {"available", FREE, 0},
    {"banks", HS_WORD_FOREIGN, 0},
    {"biggest", HS_WORD_LARGEST, 0},
    {"blk", HS_WORD_BLOCK, 0},
    {"block", HS_WORD_BLOCK, 0},
    {"blocks", HS_WORD_COUNT, 0},
    {"blocksize", HS_WORD_BLOCK | HS_WORD_TOTAL, 0},
    {"bytes", 0, 0},
    {"capacity", HS_WORD_TOTAL, 0},
    {"caps", 0, 0},
    {"card", HS_WORD_OTHER, 0},
    {"change", HS_WORD_CHANGE, 0},
    {"changed", HS_WORD_CHANGE, 0},
    {"chunk", HS_WORD_BLOCK, 0},
    {"chunks", HS_WORD_COUNT, 0},
    {"consumed", HS_WORD_USED, 0},
    {"contiguous", HS_WORD_LARGEST | HS_WORD_BLOCK, 0},
    {"count", HS_WORD_COUNT, 0},
    {"cpu", HS_WORD_OTHER, 0},
    {"cuda", HS_WORD_FOREIGN, 0},
    {"def", OF(DEFAULT)},
    {"default", OF(DEFAULT)},
    {"delta", HS_WORD_CHANGE, 0},
    {"diff", HS_WORD_CHANGE, 0},
    {"disk", HS_WORD_OTHER, 0},
    {"dma", OF(DMA)},
    {"dram", HEAP | OF(DRAM)},
    {"dropped", HS_WORD_MIN, 0},
    {"eeprom", HS_WORD_OTHER, 0},
    {"entries", HS_WORD_COUNT, 0},
    {"esp", 0, 0},
    {"ever", HS_WORD_MIN, 0},
    {"exec", OF(IRAM)},
    {"ext", OF(SPIRAM)},
    {"external", OF(SPIRAM)},
    {"fail", HS_WORD_FAIL, 0},
    {"failed", HS_WORD_FAIL, 0},
    {"failure", HS_WORD_FAIL, 0},
    {"fatfs", HS_WORD_OTHER, 0},
    {"fh", FREE | HEAP, 0},
    {"file", HS_WORD_OTHER, 0},
    {"filesystem", HS_WORD_OTHER, 0},
    {"flash", HS_WORD_OTHER, 0},
    {"fordblks", FREE | HEAP, 0},
    {"frag", HS_WORD_OTHER, 0},
    {"fragmentation", HS_WORD_OTHER, 0},
    {"free", FREE, 0},
    {"fs", HS_WORD_OTHER, 0},
    {"gc", HEAP | OF(PYTHON)},
    {"get", 0, 0},
    {"gpu", HS_WORD_FOREIGN, 0},
    {"hbm", HS_WORD_FOREIGN, 0},
    {"hcg", 0, 0},
    {"heap", HEAP, 0},
    {"heaps", HEAP, 0},
    {"himem", HS_WORD_OTHER, 0},
    {"hwm", HS_WORD_OTHER, 0},
    {"image", HS_WORD_OTHER, 0},
    {"inner", OF(INTERNAL)},
    {"int", OF(INTERNAL)},
    {"inter", OF(INTERNAL)},
    {"internal", OF(INTERNAL)},
    {"iram", HEAP | OF(IRAM)},
    {"items", HS_WORD_COUNT, 0},
    {"java", HS_WORD_FOREIGN, 0},
    {"jvm", HS_WORD_FOREIGN, 0},
    {"largest", HS_WORD_LARGEST, 0},
    {"leak", HS_WORD_CHANGE, 0},
    {"leaked", HS_WORD_CHANGE, 0},
    {"left", FREE, 0},
    {"length", HS_WORD_OTHER, 0},
    {"lfb", HS_WORD_LARGEST | HS_WORD_BLOCK, 0},
    {"littlefs", HS_WORD_OTHER, 0},
    {"lost", HS_WORD_CHANGE, 0},
    {"low", HS_WORD_LOW, 0},
    {"lowest", HS_WORD_MIN, 0},
    {"malloc", HEAP, 0},
    {"mallocs", HS_WORD_COUNT, 0},
    {"max", HS_WORD_MAX, 0},
    {"maximal", HS_WORD_MAX, 0},
    {"maximum", HS_WORD_MAX, 0},
    {"mem", HEAP, 0},
    {"memory", HEAP, 0},
    {"min", HS_WORD_MIN, 0},
    {"minimal", HS_WORD_MIN, 0},
    {"minimum", HS_WORD_MIN, 0},
    {"msglen", HS_WORD_OTHER, 0},
    {"need", HS_WORD_OTHER, 0},
    {"needed", HS_WORD_OTHER, 0},
    {"num", HS_WORD_COUNT, 0},
    {"number", HS_WORD_COUNT, 0},
    {"nvs", HS_WORD_OTHER, 0},
    {"ota", HS_WORD_OTHER, 0},
    {"out", HS_WORD_OTHER, 0},
    {"pages", HS_WORD_COUNT, 0},
    {"partition", HS_WORD_OTHER, 0},
    {"peak", HS_WORD_PEAK, 0},
    {"percent", HS_WORD_OTHER, 0},
    {"port", HS_WORD_OTHER, 0},
    {"program", HS_WORD_OTHER, 0},
    {"psr", HEAP | OF(SPIRAM)},
    {"psram", HEAP | OF(SPIRAM)},
    {"queue", HS_WORD_COUNT, 0},
    {"ram", HEAP, 0},
    {"received", HS_WORD_OTHER, 0},
    {"regions", HS_WORD_COUNT, 0},
    {"remain", FREE, 0},
    {"remaining", FREE, 0},
    {"requested", HS_WORD_OTHER, 0},
    {"rss", HS_WORD_FOREIGN, 0},
    {"sd", HS_WORD_OTHER, 0},
    {"sdcard", HS_WORD_OTHER, 0},
    {"sectors", HS_WORD_COUNT, 0},
    {"size", HS_WORD_TOTAL, 0},
    {"sketch", HS_WORD_OTHER, 0},
    {"slots", HS_WORD_COUNT, 0},
    {"smallest", HS_WORD_OTHER, 0},
    {"sockets", HS_WORD_COUNT, 0},
    {"spi", OF(SPIRAM)},
    {"spiffs", HS_WORD_OTHER, 0},
    {"spiram", HEAP | OF(SPIRAM)},
    {"sram", HEAP | OF(INTERNAL)},
    {"stack", HS_WORD_OTHER, 0},
    {"storage", HS_WORD_OTHER, 0},
    {"swap", HS_WORD_FOREIGN, 0},
    {"tasks", HS_WORD_COUNT, 0},
    {"time", HS_WORD_CHANGE, 0},
    {"total", HS_WORD_TOTAL, 0},
    {"u32", OF(32BIT)},
    {"u8", OF(8BIT)},
    {"unused", FREE, 0},
    {"uordblks", HS_WORD_USED | HEAP, 0},
    {"usage", HS_WORD_USED, 0},
    {"use", HS_WORD_USED, 0},
    {"used", HS_WORD_USED, 0},
    {"vram", HS_WORD_FOREIGN, 0},
    {"watermark", HS_WORD_MARK, 0},
    {"worst", HS_WORD_MIN, 0},
    {"xportgetfreeheapsize", FREE | HEAP, 0},
    {"xportgetminimumeverfreeheapsize", HS_WORD_MIN | FREE | HEAP, 0},
};

#define WORDS (sizeof table / sizeof table[0])

/* The first entry from `low` on, before `high`, whose letter at `at` is not below `letter`. */
static size_t bound(size_t low, size_t high, size_t at, int letter)
{
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if ((unsigned char)table[middle].text[at] < letter) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Index of the longest entry of at least two letters with which the word begins, and its size; WORDS:
 * none. The entries that begin alike stand together, the shortest first. */
static size_t look_up(const char *word, size_t length, size_t *size)
{
    size_t low = 0, high = WORDS, found = WORDS;
    for (size_t at = 0; at < length && low < high; at++) {
        const int letter = (unsigned char)word[at];
        low = bound(low, high, at, letter);
        high = bound(low, high, at, letter + 1);
        if (low < high && at > 0 && table[low].text[at + 1] == 0) {
            found = low;
            *size = at + 1;
        }
    }
    return found;
}

static void add(hs_log_word_t *to, size_t index)
{
    to->means |= table[index].means;
    if (table[index].means & HS_WORD_MEMORY) {
        to->memory = table[index].memory;
    }
}

/* Takes a word apart, the longest known word first. */
static hs_log_word_t take_apart(const char *word, size_t length)
{
    hs_log_word_t match = {0, 0};
    for (size_t at = 0; at < length;) {
        size_t size = 0;
        const size_t index = look_up(word + at, length - at, &size);
        if (index == WORDS) {
            return (hs_log_word_t){0, 0};
        }
        add(&match, index);
        at += size;
    }
    return match;
}

hs_log_word_t hs_log_word_find(const char *text, size_t length)
{
    char word[WORD_MAX + 1] = "";
    hs_log_word_t match = {0, 0};
    if (length == 0 || length > WORD_MAX) {
        return match;
    }
    for (size_t at = 0; at < length; at++) {
        word[at] = hs_log_lower(text[at]);
    }
    match = take_apart(word, length);
    if (match.means != 0) {
        return match;
    }
    /* Parts of "nowFreeHeap": a capital behind a small letter begins one. */
    for (size_t at = 0; at < length;) {
        size_t size = 0;
        do {
            word[size] = hs_log_lower(text[at + size]);
            size++;
        } while (at + size < length && !(text[at + size] != hs_log_lower(text[at + size]) &&
                                         text[at + size - 1] == hs_log_lower(text[at + size - 1])));
        at += size;
        while (size > 1 && at == length && word[size - 1] >= '0' && word[size - 1] <= '9') {
            size--; /* "heap2" */
        }
        const hs_log_word_t part = take_apart(word, size);
        match.means |= part.means;
        match.memory = part.means & HS_WORD_MEMORY ? part.memory : match.memory;
    }
    return match;
}
