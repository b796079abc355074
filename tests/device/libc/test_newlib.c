/* The forms that newlib's own functions call: errno is the one of the thread that they are given. */
#include <errno.h>
#include <string.h>

#include "../../models/check.h"
#include "heapscope_libc.h"
#include "newlib/reent.h"

void *_malloc_r(struct _reent *thread, size_t size);
void *_calloc_r(struct _reent *thread, size_t count, size_t size);
void *_realloc_r(struct _reent *thread, void *block, size_t size);
void *_reallocf_r(struct _reent *thread, void *block, size_t size);
void *_memalign_r(struct _reent *thread, size_t alignment, size_t size);
void _free_r(struct _reent *thread, void *block);
size_t _malloc_usable_size_r(struct _reent *thread, void *block);

int main(void)
{
    struct _reent thread = {0};
    struct _reent other = {0};
    const size_t before = hs_libc_free_size();
    char *block = _malloc_r(&thread, 20);
    CHECK(block != NULL && _malloc_usable_size_r(&thread, block) >= 20, "malloc");
    strcpy(block, "kept");
    block = _realloc_r(&thread, block, 2000);
    CHECK(block != NULL && strcmp(block, "kept") == 0, "realloc");
    errno = 0;
    CHECK(_malloc_r(&thread, 1000000) == NULL && thread._errno == ENOMEM, "%d", thread._errno);
    CHECK(_calloc_r(&other, SIZE_MAX / 2, 3) == NULL && other._errno == ENOMEM, "overflow");
    CHECK(_memalign_r(&other, 24, 8) == NULL && other._errno == EINVAL,
          "24 is taken for an alignment");
    CHECK(errno == 0 && thread._errno == ENOMEM, "another thread's errno");
    void *const aligned = _memalign_r(&thread, 256, 8);
    CHECK(aligned != NULL && (uintptr_t)aligned % 256 == 0, "%p", aligned);
    const char *const clear = _calloc_r(&thread, 10, 10);
    for (size_t i = 0; i < 100; i++) {
        CHECK(clear[i] == 0, "byte %zu", i);
    }
    _free_r(&thread, (void *)(uintptr_t)clear);
    _free_r(&thread, aligned);
    _free_r(&thread, NULL);
    CHECK(_reallocf_r(&thread, block, 1000000) == NULL, "more than there is");
    CHECK(hs_libc_free_size() == before, "reallocf frees what it cannot resize");
    return 0;
}
