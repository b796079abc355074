/* The steps of a pattern, appended and repeated. All return false where there is no room for more. Private. */
#ifndef HEAPSCOPE_LOG_PATTERN_STEPS_H
#define HEAPSCOPE_LOG_PATTERN_STEPS_H

#include "pattern.h"

bool hs_steps_add(hs_pattern_t *pattern, unsigned what, unsigned arg, size_t x, size_t y);
/* Puts a step in front of all from `start` on, which lead nowhere behind the last one. */
bool hs_steps_insert(hs_pattern_t *pattern, size_t start, unsigned what);
/* Repeats the steps from `start` on. `most` 0: without an end. `lazy`: rather seldom. */
bool hs_steps_repeat(hs_pattern_t *pattern, size_t start, size_t least, size_t most, bool lazy);

#endif
