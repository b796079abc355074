/* The meaning of words for the number that they belong to. Private. */
#ifndef HEAPSCOPE_LOG_MEASURE_H
#define HEAPSCOPE_LOG_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows/log.h"
#include "words.h"

/* Words that are measures. */
#define HS_WORD_MEASURES                                                                           \
    (HS_WORD_FREE | HS_WORD_LARGEST | HS_WORD_MAX | HS_WORD_MIN | HS_WORD_TOTAL | HS_WORD_USED |   \
     HS_WORD_PEAK)
/* Words of other things than a heap. */
#define HS_WORD_NO_HEAP                                                                            \
    (HS_WORD_COUNT | HS_WORD_OTHER | HS_WORD_FOREIGN | HS_WORD_CHANGE | HS_WORD_FAIL)
/* Those of them that hold for all that stands under a heading or in an object. */
#define HS_WORD_NO_HEAPS (HS_WORD_OTHER | HS_WORD_FOREIGN | HS_WORD_CHANGE | HS_WORD_FAIL)

/* The field that the words HS_WORD_* mean, as one of HS_LOG_HAS_*; 0: none. `has_free`: free bytes
 * stand beside them. */
uint32_t hs_log_measure(uint32_t means, bool has_free);
/* The field that words before a number mean, and of which memory; 0: none. */
uint32_t hs_log_label_field(const char *label, size_t length, uint8_t *memory);
/* Where a fact keeps free, largest, min, total, used, peak, or the size of its blocks. */
int64_t *hs_log_field(hs_lab_log_fact_t *fact, uint32_t field);

#endif
