/* Sets of bytes, 32 bytes each. Private. */
#ifndef HEAPSCOPE_LOG_PATTERN_SET_H
#define HEAPSCOPE_LOG_PATTERN_SET_H

#include <stdbool.h>
#include <stdint.h>

/* Adds the bytes first..last. */
void hs_set_add(uint8_t *set, unsigned first, unsigned last);
bool hs_set_has(const uint8_t *set, unsigned byte);
void hs_set_invert(uint8_t *set);
/* Adds \d, \w or \s, or with a capital its complement. False: not a class letter. */
bool hs_set_add_class(uint8_t *set, char letter);
/* Adds the other case of each letter. */
void hs_set_fold(uint8_t *set);

#endif
