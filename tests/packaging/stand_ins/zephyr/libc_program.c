/* The C library's malloc is ours: on an array of the module, or on what lies behind the program. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "heapscope_libc.h"

_Alignas(16) unsigned char rest_of_ram[65536]; /* stands for it */

int main(void)
{
    char line[80];
    setvbuf(stdout, line, _IOLBF, sizeof line); /* printf asks for no buffer */
    const size_t at_first = hs_libc_free_size();
    void *const block = malloc(1000);
    const size_t then = hs_libc_free_size();
    const int in_rest = (uintptr_t)block - (uintptr_t)rest_of_ram < sizeof rest_of_ram;
    free(block);
    printf("%d %d %d\n", block != NULL && then + 1000 <= at_first, in_rest,
           hs_libc_free_size() == at_first && hs_libc_check(NULL) == HS_OK);
    return 0;
}
