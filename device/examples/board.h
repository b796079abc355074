/* What the examples want of a board: a place for characters, a serial line as a rule. */
#ifndef HEAPSCOPE_EXAMPLES_BOARD_H
#define HEAPSCOPE_EXAMPLES_BOARD_H

#include "heapscope/text.h"

void board_put(void *context, char character);

#define BOARD ((hs_text_t){board_put, NULL})

#endif
