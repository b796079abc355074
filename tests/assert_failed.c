/* A violated HS_ASSERT ends the test program, as a violated assert() does. */
#include <stdio.h>
#include <stdlib.h>

#include "heapscope/assert.h"

void hs_assert_failed(const char *condition, const char *file, int line)
{
    (void)fprintf(stderr, "%s:%d: violated: %s\n", file, line, condition);
    abort();
}
