/*
 * Begin and end of a program in emulation, and where its output goes. Nothing here needs a hook:
 * program.py reads the buffer when the program has ended, which it does by going where a call from
 * outside returns to.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "hosted.h"

int errno;
char hosted_output[HOSTED_OUTPUT];
uint32_t hosted_written; /* more than HOSTED_OUTPUT: what came after was lost */
uint32_t hosted_ended;
uint32_t hosted_code;
void (*hosted_return)(void);

int main(int argc, char **argv);

void hosted_write(char byte)
{
    if (hosted_written < HOSTED_OUTPUT) {
        hosted_output[hosted_written] = byte;
    }
    hosted_written++;
}

_Noreturn void exit(int code)
{
    hosted_ended = 1;
    hosted_code = (uint32_t)code;
    for (;;) {
        hosted_return();
    }
}

_Noreturn void abort(void)
{
    exit(134);
}

void hosted_start(int argc, char **argv)
{
    exit(main(argc, argv));
}
