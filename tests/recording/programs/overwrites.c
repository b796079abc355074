/* Writes over the memory that it shares with its recorder, as a program with a wild pointer may: the
 * word of the case that is asked for. The layout is that of lab/native/record/shared.h. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS = 100000, CONTROL = 65536, HEADER = 4096, RECORD = 32, RECORDS = 65536 };

static void *mapped(size_t size)
{
    FILE *file = fopen("/proc/self/maps", "r");
    char line[512], rights[8];
    unsigned long from, to;
    void *match = NULL;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3 && rights[3] == 's' &&
            strstr(line, "heapscope") != NULL && to - from == size) {
            match = (void *)from;
        }
    }
    return match;
}

static void call(int count)
{
    for (int i = 0; i < count; i++) {
        free(malloc(32));
    }
}

int main(int count, char **words)
{
    const int what = count > 1 ? atoi(words[1]) : 0;
    call(1000);
    usleep(100000); /* the recorder takes them */
    char *control = mapped(CONTROL), *ring = mapped(HEADER + RECORDS * RECORD);
    if (control == NULL || ring == NULL) {
        return 3;
    }
    uint32_t *head = (uint32_t *)(void *)ring, *tail = (uint32_t *)(void *)(ring + 64);
    switch (what) {
    case 1:
        memset(ring, 0xff, HEADER + RECORDS * RECORD);
        break;
    case 2:
        memset(ring, 0, HEADER);
        break;
    case 3:
        memset(control, 0xff, CONTROL);
        break;
    case 4:
        head[0] += 1u << 30; /* the next record's number */
        break;
    case 5:
        head[1] = UINT32_MAX; /* dropped */
        break;
    case 6:
        *tail = head[0] + 12345;
        break;
    case 7:
        for (int i = 0; i < RECORDS; i++) {
            ring[HEADER + i * RECORD + 28] |= 31; /* kinds */
        }
        call(10);
        memset(ring + HEADER, 0x55, RECORDS * RECORD);
        break;
    case 8:
        memset(control + 64, 'x', 2048); /* paths */
        break;
    default:
        break;
    }
    call(CALLS);
    _exit(0);
}
