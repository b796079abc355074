/* Calls every function of the recorder once or more; test_recorder.py knows what must be recorded. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "heapscope/trace.h"
#include "recorder.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

int main(int count, char **arguments)
{
    CHECK(count == 2);
    CHECK(hs_rec_open("/nowhere/at/all.hst", "p", "c") == NULL);
    hs_rec_t *rec = hs_rec_open(arguments[1], "probe", "all");
    CHECK(rec != NULL);
    CHECK(hs_rec_fact(rec, "pools", "known") == HS_OK);
    hs_rec_task(rec, "first");
    char *text = hs_rec_malloc(rec, 10);
    strcpy(text, "recorded");
    unsigned *zeros = hs_rec_calloc(rec, 3, 8);
    CHECK(zeros[0] == 0 && zeros[5] == 0);
    CHECK(hs_rec_calloc(rec, SIZE_MAX, 2) == NULL);
    CHECK(hs_rec_malloc(rec, 0) == NULL);
    hs_rec_task(rec, "second");
    void *page = hs_rec_aligned(rec, 256, 100);
    CHECK((uintptr_t)page % 256 == 0);
    hs_rec_mark(rec, "middle");
    uint32_t pool = hs_rec_pool_new(rec, "p");
    hs_rec_pool_create(rec, pool, 256, 128);
    hs_rec_pool(rec, HS_EVENT_POOL_ALLOC, pool, 77);
    text = hs_rec_realloc(rec, text, 5000);
    CHECK(strcmp(text, "recorded") == 0);
    void *fresh = hs_rec_realloc(rec, NULL, 7);
    CHECK(hs_rec_use(rec).live == 24 + 100 + 5000 + 7 && hs_rec_use(rec).blocks == 4);
    CHECK(hs_rec_realloc(rec, fresh, 0) == NULL);
    hs_rec_task(rec, "first");
    CHECK(hs_rec_malloc(rec, UINT32_MAX) == NULL);
    CHECK(hs_rec_realloc(rec, text, UINT32_MAX - 1) == NULL && strcmp(text, "recorded") == 0);
    hs_rec_free(rec, NULL);
    hs_rec_free(rec, page);
    hs_rec_peak_restart(rec);
    CHECK(hs_rec_use(rec).peak == 24 + 5000 && hs_rec_use(rec).requests == 5);
    CHECK(hs_rec_close(rec) == HS_OK);
    return 0;
}
