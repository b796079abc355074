/* The fields of a line of the text form: words between blanks, and what they can be. Private. */
#ifndef HEAPSCOPE_NATIVE_TEXT_FIELD_H
#define HEAPSCOPE_NATIVE_TEXT_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import_form.h"

typedef struct hs_text_field {
    const uint8_t *at;
    size_t length;
} hs_text_field_t;

/* Without blanks at either end. */
hs_text_field_t hs_field_trim(hs_text_field_t text);
/* Takes the first word off `rest`, which has no blanks in front of it afterwards. Its length is
 * 0 when it is missing. */
hs_text_field_t hs_field_word(hs_text_field_t *rest);
bool hs_field_is(hs_text_field_t word, const char *text);

/* A decimal or, with 0x in front, hexadecimal number of at most 2^63. Returns what is wrong with the
 * word, or HS_IMPORT_TAKEN. */
hs_import_reason_t hs_field_number(hs_text_field_t word, uint64_t *value);
/* Whether the word stands for no block: NULL, nil, (nil), - or a hexadecimal zero. */
bool hs_field_is_null(hs_text_field_t word);
/* Adds the capabilities of "DMA|8BIT" (also with MALLOC_CAP_ in front, or joined by ',' or '+') or
 * of "caps=0x1804" to `caps`. False: one is unknown. */
bool hs_field_caps(hs_text_field_t word, uint32_t *caps);

#endif
