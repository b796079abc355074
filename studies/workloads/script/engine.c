#include "engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include "duktape.h"

#define SCRIPT_MAX 65536
#define CLOCK_START_MS 1735689600000ull /* 2025 */

static uint64_t waited_ms; /* Duktape's clock has no context */

/* make.py puts this in the place of gettimeofday in duktape.c. */
int hs_script_clock(struct timeval *out, void *unused);
int hs_script_clock(struct timeval *out, void *unused)
{
    (void)unused;
    uint64_t now = CLOCK_START_MS + waited_ms;
    out->tv_sec = (time_t)(now / 1000);
    out->tv_usec = (long)(now % 1000 * 1000);
    return 0;
}

/* ---- memory ------------------------------------------------------------------------------------ */

static void report_use(const hs_engine_plan_t *plan)
{
    if (plan->used != NULL) {
        plan->used(plan->context);
    }
}

static void *engine_alloc(void *udata, duk_size_t size)
{
    const hs_engine_plan_t *plan = udata;
    void *block = hs_rec_malloc(plan->rec, size);
    report_use(plan);
    return block;
}

static void *engine_realloc(void *udata, void *block, duk_size_t size)
{
    const hs_engine_plan_t *plan = udata;
    void *moved = hs_rec_realloc(plan->rec, block, size);
    report_use(plan);
    return moved;
}

static void engine_free(void *udata, void *block)
{
    const hs_engine_plan_t *plan = udata;
    hs_rec_free(plan->rec, block);
    report_use(plan);
}

static void engine_fatal(void *udata, const char *message)
{
    (void)udata;
    fprintf(stderr, "script: %s\n", message);
    exit(1);
}

/* ---- what the script can call ------------------------------------------------------------------ */

static const hs_engine_plan_t *plan_of(duk_context *duk)
{
    duk_memory_functions functions;
    duk_get_memory_functions(duk, &functions);
    return functions.udata;
}

static void mark(const hs_engine_plan_t *plan, const char *name)
{
    hs_rec_mark(plan->rec, name);
    if (plan->verbose) {
        hs_rec_use_t use = hs_rec_use(plan->rec);
        printf("%-16s live %6" PRIu64 " peak %6" PRIu64 " blocks %5" PRIu64 " requests %6" PRIu64
               "\n",
               name, use.live, use.peak, use.blocks, use.requests);
    }
}

static duk_ret_t script_mark(duk_context *duk)
{
    mark(plan_of(duk), duk_require_string(duk, 0));
    return 0;
}

static duk_ret_t script_wait(duk_context *duk)
{
    const hs_engine_plan_t *plan = plan_of(duk);
    waited_ms += duk_require_uint(duk, 0);
    if (plan->waiting != NULL) {
        plan->waiting(plan->context);
    }
    return 0;
}

static duk_ret_t script_collect(duk_context *duk)
{
    duk_gc(duk, 0);
    return 0;
}

static void give(duk_context *duk, const char *name, duk_c_function function, duk_idx_t arguments)
{
    duk_push_c_function(duk, function, arguments);
    duk_put_global_string(duk, name);
}

/* ---- the run ----------------------------------------------------------------------------------- */

/* The script lies in flash on a device: its text is in no heap. */
static size_t read_script(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return 0;
    }
    size_t count = fread(text, 1, size, file);
    fclose(file);
    return count;
}

static int run_script(duk_context *duk, const char *path)
{
    static char text[SCRIPT_MAX];
    size_t length = read_script(path, text, sizeof text);
    if (length == 0 || length == sizeof text) {
        fprintf(stderr, "%s: cannot be read, or too long\n", path);
        return 1;
    }
    if (duk_peval_lstring(duk, text, length) != 0) {
        fprintf(stderr, "%s: %s\n", path, duk_safe_to_stacktrace(duk, -1));
        return 1;
    }
    duk_pop(duk);
    return 0;
}

void hs_engine_name(char *out, size_t size)
{
    long version = DUK_VERSION; /* 20603: 2.6.3 */
    snprintf(out, size, "Duktape %ld.%ld.%ld", version / 10000, version / 100 % 100, version % 100);
}

int hs_engine_run(const hs_engine_plan_t *plan)
{
    waited_ms = 0;
    duk_context *duk = duk_create_heap(engine_alloc, engine_realloc, engine_free,
                                       (void *)(uintptr_t)plan, engine_fatal);
    if (duk == NULL) {
        return 1;
    }
    mark(plan, "heap created");
    give(duk, "mark", script_mark, 1);
    give(duk, "wait", script_wait, 1);
    give(duk, "collect", script_collect, 0);
    int error = run_script(duk, plan->script);
    duk_destroy_heap(duk);
    return error;
}
