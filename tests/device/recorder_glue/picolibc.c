/* A library whose calloc, realloc and aligned_alloc call its own malloc and free in other files, as
 * picolibc's do: the linker wraps those calls, too. */
#define TAKE(size) malloc(size)
#define CLEAR(count, size) calloc(count, size)
#define RESIZE(block, size) realloc(block, size)
#define ALIGN(alignment, size) aligned_alloc(alignment, size)
#define GIVE(block) free(block)

#include "script.h"

int main(int argc, char **argv)
{
    hs_recorder_t *recorder = script_open(argc, argv);
    hs_recorder_libc(recorder);
    play(recorder);
    hs_recorder_libc(NULL);
    return 0;
}
