/* The ends of emulation/hosted's C library: the first serial port, and the machine's own end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../hosted/hosted.h"
#include "board.h"

int errno;

void hosted_write(char byte)
{
    board_console(byte);
}

_Noreturn void exit(int code)
{
    board_end(code);
}

_Noreturn void abort(void)
{
    printf("abort\n");
    board_end(134);
}

_Noreturn void board_fault(uint32_t cause, uint32_t address)
{
    printf("fault %x at %x\n", (unsigned)cause, (unsigned)address);
    board_end(135);
}
