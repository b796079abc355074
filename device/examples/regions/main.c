/*
 * The memory of an ESP32 with PSRAM behind one malloc. Here the regions are arrays; on a board they are
 * what the linker leaves over. IRAM can be read and written by aligned 32-bit words alone.
 */
#include "../board.h"
#include "heapscope/regions.h"

static _Alignas(8) uint8_t internal[16384], psram[65536];
static _Alignas(8) uint32_t iram[2048];
static uint64_t rows[64];

static const hs_memory_t dram_memory = {
    .name = "internal",
    .caps = {HS_CAP_8BIT | HS_CAP_DEFAULT, HS_CAP_INTERNAL | HS_CAP_DMA | HS_CAP_32BIT, 0},
    .kind = 0,
};
static const hs_memory_t iram_memory = {
    .name = "IRAM",
    .caps = {HS_CAP_INTERNAL | HS_CAP_EXEC | HS_CAP_32BIT, 0, 0},
    .kind = 1,
};
static const hs_memory_t psram_memory = {
    .name = "PSRAM",
    .caps = {HS_CAP_SPIRAM, 0, HS_CAP_8BIT | HS_CAP_32BIT | HS_CAP_DEFAULT},
    .kind = 2,
};

static const hs_region_t table[] = {
    {.memory = &dram_memory, .start = internal, .size = sizeof internal},
    {.memory = &iram_memory, .start = iram, .size = sizeof iram},
    {.memory = &psram_memory, .start = psram, .size = sizeof psram},
};

/* Requests of malloc from 4096 bytes on are served from PSRAM. */
#define CAPS_MALLOC (HS_CAP_8BIT | HS_CAP_DEFAULT)
static const hs_size_rule_t rules[] = {
    {.asked = CAPS_MALLOC, .from = 4096, .to = 0, .instead = HS_CAP_8BIT | HS_CAP_SPIRAM},
};

static const char *running = "main";

static void *task(void *context)
{
    (void)context;
    return (void *)(uintptr_t)running; /* an RTOS has a handle */
}

static void failed(void *context, size_t size, uint32_t caps)
{
    (void)context, (void)caps;
    hs_text_string(BOARD, "no room for ");
    hs_text_number(BOARD, size, 0);
    hs_text_string(BOARD, " bytes\n");
}

static const char *place_of(const void *block)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if ((uintptr_t)block - (uintptr_t)table[i].start < table[i].size) {
            return table[i].memory->name;
        }
    }
    return "nowhere";
}

static void say(const char *what, const void *block)
{
    hs_text_column(BOARD, what, 32);
    hs_text_string(BOARD, place_of(block));
    hs_text_string(BOARD, "\n");
}

static void say_owner(const hs_owners_t *owners, uint32_t row)
{
    const hs_owner_t *const owner = hs_owners_get(owners, row);
    hs_text_column(BOARD, owner->name, 8);
    for (uint32_t kind = 0; kind < 3; kind++) {
        hs_text_number(BOARD, owner->holding[kind].bytes, 8);
    }
    hs_text_string(BOARD, "\n");
}

int main(void)
{
    static const hs_guard_config_t guard = {.level = HS_GUARD_LINKS, .owners = true};
    hs_owners_t *const owners = hs_owners_create(rows, sizeof rows, 3);
    const hs_regions_config_t config = {
        .guard = &guard,
        .owners = owners,
        .task = task,
        .rules = rules,
        .rule_count = 1,
        .failed = failed,
    };
    hs_regions_t *const set = hs_regions_create(table, 3, &config, NULL, 0);
    if (owners == NULL || set == NULL) {
        return 1;
    }
    const uint32_t main_row = hs_owners_begin(owners, task(NULL), "main");
    say("100 bytes", hs_regions_malloc(set, 100, CAPS_MALLOC));
    say("a TLS record of 16717", hs_regions_malloc(set, 16717, CAPS_MALLOC));
    say("the same for DMA", hs_regions_malloc(set, 16717, HS_CAP_DMA));
    uint32_t *const words = hs_regions_calloc(set, 200, sizeof *words, HS_CAP_32BIT | HS_CAP_EXEC);
    say("a table of words, in IRAM", words);
    running = "worker";
    const uint32_t worker_row = hs_owners_begin(owners, task(NULL), "worker");
    void *const buffer = hs_regions_malloc(set, 2000, CAPS_MALLOC);
    say("2000 bytes of another task", buffer);
    void *const larger = hs_regions_realloc(set, buffer, 20000, CAPS_MALLOC);
    say("  grown to 20000", larger);
    void *const block = hs_regions_malloc(set, 300, HS_CAP_SPIRAM);
    say("300 bytes of PSRAM", block);
    say("  moved to internal", hs_regions_realloc(set, block, 300, HS_CAP_INTERNAL | HS_CAP_8BIT));

    hs_text_string(BOARD, "bytes   internal    IRAM   PSRAM\n");
    say_owner(owners, main_row);
    say_owner(owners, worker_row);
    return hs_regions_check(set, 0) == HS_OK ? 0 : 1;
}
