#include "measure.h"

#include "form.h"

uint32_t hs_log_measure(uint32_t means, bool has_free)
{
    if (means & HS_WORD_MARK) {
        return means & HS_WORD_LOW ? HS_LOG_HAS_MIN : 0;
    }
    if (means & HS_WORD_NO_HEAP) {
        return 0;
    }
    if (means & HS_WORD_PEAK || (means & HS_WORD_MAX && means & HS_WORD_USED)) {
        return HS_LOG_HAS_PEAK;
    }
    if (means & HS_WORD_LARGEST ||
        (means & HS_WORD_MAX && means & (HS_WORD_BLOCK | HS_WORD_FREE | HS_WORD_ALLOC))) {
        return means & HS_WORD_MIN ? 0 : HS_LOG_HAS_LARGEST;
    }
    if (means & HS_WORD_MIN) {
        return means & (HS_WORD_FREE | HS_WORD_HEAP) || has_free ? HS_LOG_HAS_MIN : 0;
    }
    if (means & HS_WORD_FREE) {
        return HS_LOG_HAS_FREE;
    }
    if (means & HS_WORD_USED || (means & HS_WORD_ALLOC && has_free)) {
        return HS_LOG_HAS_USED;
    }
    if (means & HS_WORD_BLOCK && means & HS_WORD_TOTAL) {
        return HS_LOG_HAS_SIZE;
    }
    if (means & HS_WORD_BLOCK && has_free) {
        return HS_LOG_HAS_LARGEST;
    }
    return means & HS_WORD_TOTAL                                       ? HS_LOG_HAS_TOTAL
           : means & HS_WORD_HEAP && (has_free || means & HS_WORD_LOW) ? HS_LOG_HAS_FREE
                                                                       : 0;
}

uint32_t hs_log_label_field(const char *label, size_t length, uint8_t *memory)
{
    uint32_t means = 0;
    *memory = HS_LOG_MEMORY_ANY;
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (end < length && hs_log_word_byte(label[end]) && label[end] != '_') {
            end++;
        }
        const hs_log_word_t word = hs_log_word_find(label + at, end - at);
        means |= word.means;
        *memory = word.means & HS_WORD_MEMORY ? word.memory : *memory;
        at = end + 1;
    }
    return hs_log_measure(means & ~(uint32_t)HS_WORD_OTHER, true);
}

int64_t *hs_log_field(hs_lab_log_fact_t *fact, uint32_t field)
{
    return field == HS_LOG_HAS_FREE      ? &fact->free
           : field == HS_LOG_HAS_LARGEST ? &fact->largest
           : field == HS_LOG_HAS_MIN     ? &fact->min
           : field == HS_LOG_HAS_TOTAL   ? &fact->total
           : field == HS_LOG_HAS_USED    ? &fact->used
           : field == HS_LOG_HAS_PEAK    ? &fact->peak
                                         : &fact->size;
}
