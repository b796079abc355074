/* Asks the library of the lab, through its C interface alone, what it answers on every system: each
 * allocator's heap, filled and under a drill, and an imported text replayed. Prints bytes of rows, so
 * that two systems' answers can be compared. Called with the library's path. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heapscope/regions.h"
#include "lab/lab.h"

#if defined(_WIN32)
#include <windows.h>
static HMODULE library;
#define FIND(name) ((void (*)(void))GetProcAddress(library, name))
#else
#include <dlfcn.h>
static void *library;
#define FIND(name) dlsym(library, name)
#endif

#define KEPT_MAX 65536
#define CALL(name) ((__typeof__(&name))find(#name))

static const char TEXT[] = "a 1 1460\na 2 100\nf 1\na 3 40000\na 4 40000\nr 2 5 300\nf 3\na 6 12\n";
static uint8_t trace[KEPT_MAX];

static void *find(const char *name)
{
    void *match = (void *)FIND(name);
    if (match == NULL) {
        printf("no function %s\n", name);
        exit(1);
    }
    return match;
}

static void print(const char *what, const void *rows, size_t size)
{
    printf("%s", what);
    for (size_t i = 0; i < size; i++) {
        printf(" %02x", ((const uint8_t *)rows)[i]);
    }
    printf("\n");
}

static size_t imported(void)
{
    size_t size = 0;
    size_t taken;
    hs_lab_import_t *import = CALL(hs_lab_import_new)(0, 0);
    if (import == NULL || CALL(hs_lab_import_push)(import, (const uint8_t *)TEXT, strlen(TEXT)) ||
        CALL(hs_lab_import_finish)(import)) {
        printf("the text was not imported\n");
        exit(1);
    }
    while ((taken = CALL(hs_lab_import_take)(import, trace + size, KEPT_MAX - size)) > 0) {
        size += taken;
    }
    CALL(hs_lab_import_delete)(import);
    return size;
}

static void replayed(const char *allocator, size_t size)
{
    int status = 0;
    uint32_t where = 0;
    hs_lab_summary_t summary = {0};
    hs_lab_region_t region = {.start = 0x3FFB0000, .size = 65536};
    hs_lab_config_t config = {.regions = &region, .region_count = 1};
    for (int i = 0; i < 3; i++) {
        region.caps[i] = HS_CAP_8BIT | HS_CAP_32BIT | HS_CAP_DEFAULT;
    }
    config.malloc_small_caps = config.malloc_large_caps = HS_CAP_DEFAULT;
    strncpy(region.allocator, allocator, sizeof region.allocator - 1);
    hs_lab_reader_t *reader = CALL(hs_lab_reader_new)(&config, &status, &where);
    printf("%s: status %d\n", allocator, status);
    if (reader != NULL) {
        printf("push %d ", CALL(hs_lab_reader_push)(reader, trace, size));
        printf("finish %d\n", CALL(hs_lab_reader_finish)(reader));
        CALL(hs_lab_summary)(reader, &summary);
        print("summary", &summary, sizeof summary);
        CALL(hs_lab_reader_delete)(reader);
    }
}

int main(int argc, char **argv)
{
    const char *name;
#if defined(_WIN32)
    library = argc > 1 ? LoadLibraryA(argv[1]) : NULL;
#else
    library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
#endif
    if (library == NULL || CALL(hs_lab_abi)() != HS_LAB_ABI) {
        printf("the library cannot be loaded\n");
        return 1;
    }
    const size_t size = imported();
    print("trace", trace, size);
    for (size_t i = 0; (name = CALL(hs_lab_allocator_name)(i)) != NULL; i++) {
        hs_lab_filled_t filled = {0};
        printf("%d\n", CALL(hs_lab_fill_heap)(name, 0x3FFB0000, 65536, 100, 1000, &filled));
        print("filled", &filled, sizeof filled);
        replayed(name, size);
    }
    return 0;
}
