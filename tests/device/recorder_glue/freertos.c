/* FreeRTOS's heap by its trace macros, on a kernel that only counts. */
#define TAKE(size) pvPortMalloc(size)
#define CLEAR(count, size) pvPortMalloc((count) * (size))
#define RESIZE(block, size) (vPortFree(block), pvPortMalloc(size))
#define ALIGN(alignment, size) pvPortMalloc(size)
#define GIVE(block) vPortFree(block)

#include "kernel.h"

#include "script.h"

int main(int argc, char **argv)
{
    heapscope_recorder = script_open(argc, argv);
    play(heapscope_recorder);
    return asserted != 0;
}
