#include <stddef.h>

void *pvPortMalloc(size_t);

void make_task(size_t size)
{
    (void)pvPortMalloc(size);
}
