/* An allocator's function that asks another one of it, by the linker's way. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *pvPortMalloc(size_t);

void *pvPortCalloc(size_t count, size_t each)
{
    if (each != 0 && count > SIZE_MAX / each) {
        return NULL;
    }
    void *block = pvPortMalloc(count * each);
    return block == NULL ? NULL : memset(block, 0, count * each);
}
