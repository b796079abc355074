/* parts: heap calls before a start, in a first part, while stopped, and in a second part. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heapscope/record.h"

int main(int count, char **arguments)
{
    void *volatile before[3] = {malloc(1001), malloc(1002), malloc(1003)};
    free(before[0]);
    heapscope_mark_here("not in the trace");
    heapscope_start_here();
    heapscope_mark_here("first part");
    void *volatile first = malloc(2001);
    void *volatile moved = malloc(2002);
    free(before[1]);
    heapscope_stop_here();
    heapscope_stop_here(); /* nothing */
    void *volatile between = malloc(3001);
    free(malloc(3002));
    free(first);
    moved = realloc(moved, 200000);
    if (fork() == 0) { /* its parent's events are not in a trace, nor are its own, at first */
        free(malloc(5001));
        heapscope_start_here();
        free(between);
        _exit(0);
    }
    (void)wait(NULL);
    heapscope_start_here();
    heapscope_start_here(); /* nothing */
    void *volatile second = malloc(4001);
    free(moved);
    if (count > 1) {
        heapscope_stop_here();
        free(malloc(6001));
    }
    free(second);
    return 0;
}
