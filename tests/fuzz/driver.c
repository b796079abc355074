/*
 * Runs a fuzz target without a fuzzing engine: each file of the corpus, then mutations of it drawn
 * from a seed. Usage: fuzz_X [--seed N] [--mutations N] [--only N] FILE_OR_FOLDER...
 * Seed, file and mutation are named when something does not hold; --only repeats one mutation.
 */
#define _POSIX_C_SOURCE 200809L /* opendir; otherwise name the files */

#include <signal.h>
#include <string.h>

#include "fuzz.h"

#if defined(_MSC_VER)
#define HS_FOLDERS 0
#else
#define HS_FOLDERS 1
#include <dirent.h>
#endif

#define INPUT_MAX ((size_t)1 << 20)

typedef struct hs_input {
    uint8_t *bytes;
    size_t count;
} hs_input_t;

static uint64_t next(uint64_t *state) /* splitmix64 (Steele, Lea, Flood, 2014) */
{
    uint64_t value = *state += UINT64_C(0x9E3779B97F4A7C15);
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

static size_t below(uint64_t *state, size_t limit)
{
    return limit == 0 ? 0 : (size_t)(next(state) % limit);
}

static hs_input_t load(const char *path)
{
    hs_input_t input = {malloc(INPUT_MAX), 0};
    FILE *file = fopen(path, "rb");
    if (file == NULL || input.bytes == NULL) {
        fprintf(stderr, "%s: cannot read it\n", path);
        exit(2);
    }
    input.count = fread(input.bytes, 1, INPUT_MAX, file);
    fclose(file);
    return input;
}

/* Moves the bytes from `at` on by inserting or deleting some. */
static void shift(uint64_t *state, hs_input_t *input, size_t at)
{
    const size_t rest = input->count - at;
    const size_t by = 1 + below(state, 16);
    if ((next(state) & 1u) != 0 && input->count + by <= INPUT_MAX) {
        memmove(input->bytes + at + by, input->bytes + at, rest);
        for (size_t i = 0; i < by; i++) {
            input->bytes[at + i] = (uint8_t)next(state);
        }
        input->count += by;
    } else if (by <= rest) {
        memmove(input->bytes + at, input->bytes + at + by, rest - by);
        input->count -= by;
    }
}

static void mutate_once(uint64_t *state, hs_input_t *input)
{
    static const uint8_t telling[] = {0x00, 0x7F, 0x80, 0xFF, '\n', '0', ' ', 0x48};
    const size_t at = below(state, input->count);
    if (input->count == 0) {
        return;
    }
    switch (below(state, 6)) {
    case 0:
        input->bytes[at] ^= (uint8_t)(1u << below(state, 8));
        break;
    case 1:
        input->bytes[at] = (uint8_t)next(state);
        break;
    case 2:
        input->bytes[at] = telling[below(state, sizeof telling)];
        break;
    case 3:
        shift(state, input, at);
        break;
    case 4:
        input->count = at;
        break;
    default: { /* one part over another */
        const size_t from = below(state, input->count);
        const size_t space = input->count - (from > at ? from : at);
        memmove(input->bytes + at, input->bytes + from, below(state, space + 1));
        break;
    }
    }
}

static void mutation_run(uint64_t seed, size_t number, const hs_input_t *original,
                         hs_input_t *scratch)
{
    uint64_t state = seed + number * UINT64_C(0xD1B54A32D192ED03);
    scratch->count = original->count;
    memcpy(scratch->bytes, original->bytes, original->count);
    for (size_t rounds = 1 + below(&state, 8); rounds > 0; rounds--) {
        mutate_once(&state, scratch);
    }
    /* A copy of the exact size: a read beyond the end is then seen by the sanitizer. */
    uint8_t *exact = malloc(scratch->count + 1);
    FUZZ_REQUIRE(exact != NULL);
    memcpy(exact, scratch->bytes, scratch->count);
    (void)LLVMFuzzerTestOneInput(exact, scratch->count);
    free(exact);
}

/* The run that is under way, for the message of a failure. */
static uint64_t seed = UINT64_C(20240607);
static size_t mutations = 30;
static size_t only;
static size_t files;
static const char *file_now = "";
static size_t mutation_now;

static void failed(int number)
{
    fprintf(stderr, "%s: seed %llu, mutation %llu\n", file_now, (unsigned long long)seed,
            (unsigned long long)mutation_now);
    signal(number, SIG_DFL);
    raise(number);
}

static void file_run(const char *path)
{
    hs_input_t input = load(path);
    hs_input_t scratch = {malloc(INPUT_MAX), 0};
    FUZZ_REQUIRE(scratch.bytes != NULL);
    file_now = path;
    mutation_now = 0;
    (void)LLVMFuzzerTestOneInput(input.bytes, input.count);
    const size_t last = only != 0 ? only : mutations;
    for (size_t n = only != 0 ? only : 1; n <= last; n++) {
        mutation_now = n;
        mutation_run(seed, n, &input, &scratch);
    }
    free(scratch.bytes);
    free(input.bytes);
    files++;
}

#if HS_FOLDERS
/* Runs the files of a folder. Returns 0 when the path does not name a folder. */
static int folder_run(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return 0;
    }
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char name[1024];
        const int length = snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && length > 0 && (size_t)length < sizeof name) {
            file_run(name);
        }
    }
    closedir(folder);
    return 1;
}
#else
static int folder_run(const char *path)
{
    (void)path;
    return 0;
}
#endif

int main(int argc, char **argv)
{
    signal(SIGABRT, failed);
    for (int i = 1; i < argc; i++) {
        if (i + 1 < argc && strcmp(argv[i], "--seed") == 0) {
            seed = strtoull(argv[++i], NULL, 0);
        } else if (i + 1 < argc && strcmp(argv[i], "--mutations") == 0) {
            mutations = (size_t)strtoull(argv[++i], NULL, 0);
        } else if (i + 1 < argc && strcmp(argv[i], "--only") == 0) {
            only = (size_t)strtoull(argv[++i], NULL, 0);
        } else if (folder_run(argv[i]) == 0) {
            file_run(argv[i]);
        }
    }
    printf("%llu files, %llu mutations of each, seed %llu: all held\n", (unsigned long long)files,
           (unsigned long long)mutations, (unsigned long long)seed);
    return files == 0 ? 2 : 0;
}
