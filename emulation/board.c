/* The examples' board in emulation: characters go where the programs' output goes. */
#include <stdio.h>

#include "../../device/examples/board.h"

void board_put(void *context, char character)
{
    (void)context;
    putchar(character);
}
