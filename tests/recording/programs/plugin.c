/* An object that a program loads: allocates 3000 bytes and a number, by a function of its own name. */
#include <stdlib.h>

#ifndef NAME
#define NAME first_plugin
#endif

void *NAME(size_t number);

__attribute__((noinline)) void *NAME(size_t number)
{
    void *volatile block = malloc(3000 + number);
    return block;
}

/* By the one name that both have. */
void *plugin(size_t number);

void *plugin(size_t number)
{
    void *volatile block = NAME(number);
    return block;
}
