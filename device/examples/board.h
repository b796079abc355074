/* The examples need one thing from a board: a place for characters, usually a serial line. */
#ifndef HEAPSCOPE_EXAMPLES_BOARD_H
#define HEAPSCOPE_EXAMPLES_BOARD_H

#include "heapscope/text.h"

void board_put(void *context, char character);

#define BOARD ((hs_text_t){board_put, NULL})

#endif
