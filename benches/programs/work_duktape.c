/* Duktape: load.js in a heap of its own, which is made again after some rounds. */
#include <stdlib.h>
#include <sys/time.h>

#include "calls.h"
#include "duktape.h"
#include "text_file.h"
#include "work.h"

#define ROUNDS 64u
#define COLLECT 4u

static duk_context *duk;
static char text[TEXT_FILE_MAX];
static size_t length;

/* In the place of gettimeofday: time stands still, so that runs repeat. */
int hs_script_clock(struct timeval *out, void *unused);
int hs_script_clock(struct timeval *out, void *unused)
{
    (void)unused;
    *out = (struct timeval){1735689600, 0};
    return 0;
}

static void *engine_malloc(void *context, duk_size_t size)
{
    (void)context;
    return calls_malloc(size);
}

static void *engine_realloc(void *context, void *block, duk_size_t size)
{
    (void)context;
    return calls_realloc(block, size);
}

static void engine_free(void *context, void *block)
{
    (void)context;
    calls_free(block);
}

static void engine_fatal(void *context, const char *message)
{
    (void)context;
    fprintf(stderr, "Duktape: %s\n", message);
    exit(3);
}

const char *work_start(const char *script)
{
    length = text_file_read(script, text);
    return length != 0 ? NULL : "no script";
}

void work_end(void)
{
    if (duk != NULL) {
        duk_destroy_heap(duk);
        duk = NULL;
    }
}

static const char *told(void)
{
    const char *const message = work_message(duk_safe_to_string(duk, -1));
    duk_set_top(duk, 0);
    return message;
}

const char *work_round(uint32_t round)
{
    if (duk == NULL || round % ROUNDS == 0) {
        work_end();
        duk = duk_create_heap(engine_malloc, engine_realloc, engine_free, NULL, engine_fatal);
        if (duk == NULL) {
            return "no heap";
        }
        if (duk_peval_lstring(duk, text, length) != 0) {
            const char *const failure = told();
            work_end();
            return failure;
        }
        duk_pop(duk);
    }
    if (round % COLLECT == 0) {
        duk_gc(duk, 0);
    }
    duk_get_global_string(duk, "round");
    duk_push_uint(duk, round);
    if (duk_pcall(duk, 1) != DUK_EXEC_SUCCESS) {
        return told();
    }
    duk_size_t size;
    const char *const sum = duk_safe_to_lstring(duk, -1, &size);
    work_note(sum, size);
    duk_set_top(duk, 0);
    return NULL;
}
