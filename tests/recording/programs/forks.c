/* forks COUNT: as many children, each with children of its own, that free what they inherited. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void child(void *inherited, int depth)
{
    void *own = malloc(77);
    free(inherited);
    if (depth < 2 && fork() == 0) {
        child(own, depth + 1);
    }
    while (wait(NULL) > 0) {
    }
    _exit(0);
}

int main(int count, char **arguments)
{
    const int number = count > 1 ? atoi(arguments[1]) : 3;
    void *block = malloc(12345);
    for (int i = 0; i < number; i++) {
        if (fork() == 0) {
            child(block, 1);
        }
    }
    while (wait(NULL) > 0) {
    }
    free(block);
    return 3;
}
