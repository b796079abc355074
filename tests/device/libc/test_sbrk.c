/* Memory that comes by sbrk, a piece at a time, from one break that others move too. */
#include <errno.h>
#include <string.h>

#include "../../models/check.h"
#include "heapscope_libc.h"
#include "names.h"

#define ALL 65536

static _Alignas(16) unsigned char memory[ALL];
static ptrdiff_t broken;
static unsigned calls;

void *test_sbrk(ptrdiff_t increment)
{
    calls++;
    if (increment > ALL - broken) {
        errno = ENOMEM;
        return (void *)-1;
    }
    void *const start = memory + broken;
    broken += increment;
    return start;
}

int main(void)
{
    void *const small = my_malloc(100);
    CHECK(small != NULL && calls == 1 && broken == 16384, "%u calls, %td bytes", calls, broken);
    broken += 24; /* somebody else's */
    void *const second = my_malloc(10000);
    void *const third = my_malloc(10000);
    CHECK(second != NULL && third != NULL && calls == 2, "%u calls", calls);
    CHECK((unsigned char *)third - memory >= 16384 + 24, "not from the second piece");
    unsigned char *large = my_malloc(20000); /* more than a piece */
    CHECK(large != NULL && calls == 3, "%u calls", calls);
    memset(large, 7, 20000);
    CHECK(my_malloc(30000) == NULL && calls == 4, "%u calls", calls);
    CHECK(my_malloc(100) != NULL && calls == 4, "there is room yet");
    void *const aligned = my_aligned_alloc(4096, 64);
    CHECK(aligned == NULL || (uintptr_t)aligned % 4096 == 0, "%p", aligned);
    large = my_realloc(large, 100);
    CHECK(large[0] == 7 && large[99] == 7, "contents");
    errno = 0;
    void *left = NULL;
    CHECK(my_posix_memalign(&left, 64, 30000) == ENOMEM && errno == 0, "errno %d", errno);
    const unsigned before = calls;
    CHECK(my_malloc(HS_WIDE_MAX - 1000) == NULL && calls == before, "no memory could serve it");
    const ptrdiff_t end = broken;
    CHECK(end < ALL - 8000 && end > ALL - 16384, "%td bytes", end);
    while (my_malloc(1000) != NULL) {
    }
    CHECK(broken > end, "the last piece is smaller than the others");
    CHECK(hs_libc_check(NULL) == HS_OK, "damaged");
    return 0;
}
