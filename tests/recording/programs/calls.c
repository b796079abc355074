/* Every call of the family once, in a known order, and what the program says of itself. */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "heapscope/record.h"

static void require(int truth)
{
    if (!truth) {
        abort();
    }
}

int main(void)
{
    void *volatile kept[12];
    heapscope_mark_here("start");
    kept[0] = malloc(100);
    kept[1] = calloc(7, 30);
    kept[2] = realloc(NULL, 50);
    kept[2] = realloc(kept[2], 5000);
    kept[3] = reallocarray(NULL, 11, 13);
    kept[4] = aligned_alloc(64, 128);
    void *aligned = NULL;
    require(posix_memalign(&aligned, 256, 300) == 0);
    kept[5] = aligned;
    kept[6] = memalign(32, 33);
    kept[7] = valloc(17);
    kept[8] = malloc(0);
    require(malloc_usable_size(kept[0]) >= 100);
    require(((uintptr_t)kept[5] & 255) == 0);
    errno = 0;
    require(malloc((size_t)PTRDIFF_MAX + 1) == NULL && errno == ENOMEM);
    require(realloc(kept[0], (size_t)PTRDIFF_MAX + 1) == NULL && errno == ENOMEM);
    require(reallocarray(kept[0], (size_t)PTRDIFF_MAX, 4) == NULL && errno == ENOMEM);
    errno = 0;
    require(reallocarray(NULL, (size_t)PTRDIFF_MAX, 4) == NULL && errno == ENOMEM);
    errno = 0;
    require(calloc((size_t)PTRDIFF_MAX, 4) == NULL && errno == ENOMEM);
    require(posix_memalign(&aligned, 3, 8) == EINVAL);
    heapscope_task_here("network");
    kept[9] = malloc(200);
    heapscope_task_here(NULL);
    heapscope_pool_here("session", HEAPSCOPE_POOL_CREATE, 4096, 1024);
    heapscope_pool_here("session", HEAPSCOPE_POOL_ALLOC, 100, 0);
    heapscope_pool_here("session", HEAPSCOPE_POOL_RELEASE, 0, 0);
    errno = 77;
    for (int i = 0; i < 10; i++) {
        free(kept[i]);
    }
    require(errno == 77);
    heapscope_mark_here("a name that is longer than one record of the ring can hold");
    return 0;
}
