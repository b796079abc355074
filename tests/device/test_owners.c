/*
 * The table of owners against a model that keeps all tasks that ever were: rows come and go, handles
 * are used again, and what a task held stays its own until the last of its blocks is gone.
 */
#include "heapscope/owners.h"

#include <string.h>

#include "../models/check.h"

#define ROWS_MAX 255u
#define BLOCKS 600u

typedef struct block {
    uint32_t row, kind;
    size_t bytes;
} block_t;

static uint64_t memory[(ROWS_MAX + 2) * 24];
static block_t blocks[BLOCKS];
static uint32_t block_count;
static hs_holding_t held[ROWS_MAX + 1][HS_KINDS_MAX]; /* by row; peaks are those of its task */
static char handles[1024];

static hs_owners_t *open_table(uint32_t rows)
{
    const size_t size = hs_owners_control(rows);
    CHECK(size != 0 && size <= sizeof memory - 16, "%zu bytes for %u rows", size, (unsigned)rows);
    memset(memory, 0xCD, sizeof memory);
    hs_owners_t *owners = hs_owners_create(memory, size, rows);
    CHECK(owners != NULL, "%u rows", (unsigned)rows);
    CHECK(((uint8_t *)memory)[size] == 0xCD, "written behind its memory");
    block_count = 0;
    memset(held, 0, sizeof held);
    return owners;
}

static void check_rows(const hs_owners_t *owners, uint32_t rows)
{
    for (uint32_t row = 1; row <= rows; row++) {
        const hs_owner_t *owner = hs_owners_get(owners, row);
        for (uint32_t kind = 0; kind < HS_KINDS_MAX; kind++) {
            const hs_holding_t *mine = &held[row][kind];
            CHECK(owner != NULL || mine->blocks == 0, "row %u lost its blocks", (unsigned)row);
            CHECK(owner == NULL || memcmp(&owner->holding[kind], mine, sizeof *mine) == 0,
                  "row %u, kind %u: %u bytes in %u blocks, not %u in %u", (unsigned)row,
                  (unsigned)kind, (unsigned)owner->holding[kind].bytes,
                  (unsigned)owner->holding[kind].blocks, (unsigned)mine->bytes,
                  (unsigned)mine->blocks);
        }
    }
}

static uint32_t blocks_of(uint32_t row)
{
    uint32_t count = 0;
    for (uint32_t kind = 0; kind < HS_KINDS_MAX; kind++) {
        count += held[row][kind].blocks;
    }
    return count;
}

/* The row holds nothing; if it was one of an ended task, it is nobody's. */
static void note_end(uint32_t row, const bool *ended)
{
    if (ended[row] && blocks_of(row) == 0) {
        memset(held[row], 0, sizeof held[row]);
    }
}

static void take(hs_owners_t *owners, check_random_t *random, uint32_t row)
{
    block_t *block = &blocks[block_count++];
    *block = (block_t){row, check_below(random, HS_KINDS_MAX), check_below(random, 5000)};
    hs_holding_t *mine = &held[row][block->kind];
    mine->bytes += (uint32_t)block->bytes;
    mine->blocks++;
    mine->peak_bytes = mine->bytes > mine->peak_bytes ? mine->bytes : mine->peak_bytes;
    mine->peak_blocks = mine->blocks > mine->peak_blocks ? mine->blocks : mine->peak_blocks;
    hs_owners_took(owners, row, block->kind, block->bytes);
}

static void give(hs_owners_t *owners, uint32_t index)
{
    const block_t block = blocks[index];
    blocks[index] = blocks[--block_count];
    held[block.row][block.kind].bytes -= (uint32_t)block.bytes;
    held[block.row][block.kind].blocks--;
    hs_owners_gave(owners, block.row, block.kind, block.bytes);
}

/* Tasks that begin, end, come back under a handle that was somebody else's. */
static void run(check_random_t *random, uint32_t rows, uint32_t tasks)
{
    hs_owners_t *owners = open_table(rows);
    uint32_t row_of[sizeof handles] = {0}; /* 0: no row, or that of others */
    bool ended[ROWS_MAX + 1] = {false};
    for (uint32_t step = 0; step < 3000; step++) {
        const uint32_t task = check_below(random, tasks);
        void *handle = &handles[task];
        const uint32_t choice = check_below(random, 20);
        if (choice < 2) {
            const uint32_t old = row_of[task];
            if (old != 0) {
                ended[old] = true;
                note_end(old, ended);
            }
            row_of[task] = 0;
            if (choice == 0) {
                hs_owners_end(owners, handle);
            } else {
                const uint32_t row = hs_owners_begin(owners, handle, "reused");
                if (row != rows) {
                    CHECK(blocks_of(row) == 0, "row %u is not free", (unsigned)row);
                    CHECK(strcmp(hs_owners_get(owners, row)->name, "reused") == 0, "name");
                    memset(held[row], 0, sizeof held[row]);
                    row_of[task] = row;
                    ended[row] = false;
                }
            }
        } else if (choice < 12 && block_count < BLOCKS) {
            const uint32_t row = hs_owners_row(owners, handle);
            CHECK(row >= 1 && row <= rows, "row %u", (unsigned)row);
            CHECK(row_of[task] == 0 || row == row_of[task], "row %u, not %u", (unsigned)row,
                  (unsigned)row_of[task]);
            if (row_of[task] == 0 && row != rows) {
                CHECK(blocks_of(row) == 0, "row %u is somebody's", (unsigned)row);
                row_of[task] = row;
                ended[row] = false;
            }
            CHECK(hs_owners_get(owners, row)->task == (row != rows ? handle : NULL), "task");
            CHECK(!hs_owners_get(owners, row)->ended, "ended");
            take(owners, random, row);
        } else if (block_count != 0) {
            const uint32_t index = check_below(random, block_count);
            const uint32_t row = blocks[index].row;
            give(owners, index);
            note_end(row, ended);
        }
        if (row_of[task] != 0 && ended[row_of[task]]) {
            row_of[task] = 0;
        }
        check_rows(owners, rows);
    }
    while (block_count != 0) {
        const uint32_t row = blocks[0].row;
        give(owners, 0);
        note_end(row, ended);
    }
    check_rows(owners, rows);
    for (uint32_t row = 1; row < rows; row++) {
        CHECK(!ended[row] || hs_owners_get(owners, row) == NULL, "row %u stays", (unsigned)row);
    }
}

/* A row for each of as many tasks as there are rows, whatever their handles look like. */
static void test_every_row_is_used(check_random_t *random)
{
    static const uint32_t counts[] = {2, 3, 5, 16, 33, 100, 254, 255};
    uint32_t crowded = 0;
    for (uint32_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        for (int round = 0; round < check_rounds(50); round++) {
            hs_owners_t *owners = open_table(counts[i]);
            const uintptr_t base = (uintptr_t)0x3FFB0000u + 8 * check_below(random, 1000);
            const uintptr_t stride = (uintptr_t)4 << check_below(random, 12);
            for (uint32_t task = 0; task + 1 < counts[i]; task++) {
                void *handle = (void *)(base + task * stride);
                const uint32_t row = hs_owners_row(owners, handle);
                crowded += row == counts[i] ? 1 : 0;
                CHECK(hs_owners_row(owners, handle) == row, "not found again");
            }
            void *more = (void *)(base + counts[i] * stride);
            CHECK(hs_owners_row(owners, more) == counts[i] || crowded != 0, "one too many");
        }
    }
    CHECK(crowded == 0, "%u tasks of about 23000 found no place in the index", (unsigned)crowded);
}

static void test_misuse(void)
{
    CHECK(hs_owners_control(0) == 0 && hs_owners_control(256) == 0, "rows");
    CHECK(hs_owners_create(memory, sizeof memory, 0) == NULL, "no rows");
    CHECK(hs_owners_create(memory, sizeof memory, 256) == NULL, "too many");
    CHECK(hs_owners_create(NULL, sizeof memory, 4) == NULL, "no memory");
    CHECK(hs_owners_create(memory, hs_owners_control(4) - 1, 4) == NULL, "too little");
    CHECK(hs_owners_create((uint8_t *)memory + 1, hs_owners_control(4), 4) == NULL, "too odd");
    hs_owners_t *owners = hs_owners_create((uint8_t *)memory + 1, hs_owners_control(4) + 7, 4);
    CHECK(owners != NULL && (uintptr_t)owners % sizeof(void *) == 0, "odd");
    CHECK(hs_owners_row(owners, NULL) == 4 && hs_owners_begin(owners, NULL, "x") == 4, "NULL");
    CHECK(strcmp(hs_owners_get(owners, 4)->name, "others") == 0, "others");
    hs_owners_end(owners, NULL);
    hs_owners_end(owners, &handles[0]);
    CHECK(hs_owners_get(owners, 0) == NULL && hs_owners_get(owners, 1) == NULL &&
              hs_owners_get(owners, 5) == NULL && hs_owners_get(owners, UINT32_MAX) == NULL,
          "no such row");
    hs_owners_took(owners, 0, 0, 10);
    hs_owners_took(owners, 5, 0, 10);
    hs_owners_took(owners, 1, 0, 10); /* nobody's */
    hs_owners_took(owners, 4, HS_KINDS_MAX, 10);
    hs_owners_gave(owners, 4, 0, 10);
    hs_owners_resized(owners, 4, 0, 1, 10);
    const hs_owner_t *others = hs_owners_get(owners, 4);
    CHECK(others->holding[0].bytes == 0 && others->holding[0].blocks == 0, "from nothing");
    hs_owners_took(owners, 4, 0, 10);
    hs_owners_gave(owners, 4, 0, SIZE_MAX);
    CHECK(others->holding[0].bytes == 0 && others->holding[0].blocks == 0, "below zero");
    hs_owners_took(owners, 4, 0, SIZE_MAX);
    hs_owners_took(owners, 4, 0, 1);
    CHECK(others->holding[0].bytes == UINT32_MAX, "wrapped round");
    CHECK(hs_owners_begin(owners, &handles[1], NULL) == 1, "without a name");
    CHECK(hs_owners_get(owners, 1)->name[0] == 0, "a name");
    CHECK(hs_owners_begin(owners, &handles[1], "0123456789abcdefgh") == 1,
          "again, holding nothing");
    CHECK(strcmp(hs_owners_get(owners, 1)->name, "0123456789abcde") == 0, "%s",
          hs_owners_get(owners, 1)->name);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    test_misuse();
    test_every_row_is_used(&random);
    for (int round = 0; round < check_rounds(4); round++) {
        run(&random, 1, 3);
        run(&random, 4, 12);
        run(&random, 16, 14);
        run(&random, 64, 200);
        run(&random, 255, 1000);
    }
    return 0;
}
