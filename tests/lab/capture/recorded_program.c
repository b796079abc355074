/* Real recorders are tried on this program: it asks for sizes that nothing else asks for, and frees
 * blocks of one size and stack in the order of their birth. */
#include <mcheck.h>
#include <stdio.h>
#include <stdlib.h>

#define SAME 5

static void *deep(unsigned depth, size_t size)
{
    return depth == 0 ? malloc(size) : deep(depth - 1, size);
}

int main(void)
{
    mtrace();
    void *same[SAME];
    for (unsigned i = 0; i < SAME; i++) {
        same[i] = malloc(71000);
    }
    for (unsigned i = 0; i < SAME - 1; i++) {
        free(same[i]);
    }
    char *grown = deep(3, 72001);
    grown = realloc(grown, 72002);
    void *cleared = calloc(3, 24001); /* 72003 */
    void *aligned = NULL;
    if (posix_memalign(&aligned, 64, 72004) != 0 || malloc((size_t)-1 / 4) != NULL) {
        return 1;
    }
    free(aligned);
    free(cleared);
    printf("%p %p\n", (void *)grown, same[SAME - 1]); /* both leak */
    return 0;
}
