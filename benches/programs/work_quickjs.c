/* QuickJS: load.js in a runtime, which is made again after some rounds. */
#include <string.h>

#include "calls.h"
#include "quickjs.h"
#include "shadow.h"
#include "text_file.h"
#include "work.h"

#define ROUNDS 64u

static JSRuntime *runtime;
static JSContext *context;
static char text[TEXT_FILE_MAX];
static size_t length;

/* The engine collects garbage by `malloc_size`, which these count as it was asked for. */
static void *engine_malloc(JSMallocState *state, size_t size)
{
    void *const block = calls_malloc(size);
    if (block != NULL) {
        state->malloc_count++;
        state->malloc_size += size;
    }
    return block;
}

static void engine_free(JSMallocState *state, void *block)
{
    if (block != NULL) {
        state->malloc_count--;
        state->malloc_size -= shadow_size(block);
        calls_free(block);
    }
}

static void *engine_realloc(JSMallocState *state, void *block, size_t size)
{
    if (block == NULL) {
        return size != 0 ? engine_malloc(state, size) : NULL;
    }
    if (size == 0) {
        engine_free(state, block);
        return NULL;
    }
    const size_t had = shadow_size(block);
    void *const moved = calls_realloc(block, size);
    if (moved != NULL) {
        state->malloc_size += size - had;
    }
    return moved;
}

static size_t engine_usable(const void *block)
{
    return block != NULL ? shadow_size(block) : 0;
}

static const JSMallocFunctions functions = {engine_malloc, engine_free, engine_realloc,
                                            engine_usable};

const char *work_start(const char *script)
{
    length = text_file_read(script, text);
    return length != 0 ? NULL : "no script";
}

void work_end(void)
{
    if (context != NULL) {
        JS_FreeContext(context);
        context = NULL;
    }
    if (runtime != NULL) {
        JS_FreeRuntime(runtime);
        runtime = NULL;
    }
}

/* Takes the pending exception. */
static const char *told(void)
{
    const JSValue error = JS_GetException(context);
    const char *const stated = JS_ToCString(context, error);
    const char *const message = work_message(stated != NULL ? stated : "an error without a text");
    JS_FreeCString(context, stated);
    JS_FreeValue(context, error);
    return message;
}

static const char *open_engine(void)
{
    runtime = JS_NewRuntime2(&functions, NULL);
    context = runtime != NULL ? JS_NewContext(runtime) : NULL;
    if (context == NULL) {
        return "no context";
    }
    const JSValue value = JS_Eval(context, text, length, "load.js", JS_EVAL_TYPE_GLOBAL);
    if (JS_IsException(value)) {
        return told();
    }
    JS_FreeValue(context, value);
    return NULL;
}

static const char *call_round(uint32_t round)
{
    const JSValue global = JS_GetGlobalObject(context);
    const JSValue function = JS_GetPropertyStr(context, global, "round");
    JSValue number = JS_NewUint32(context, round);
    const JSValue value = JS_Call(context, function, global, 1, &number);
    JS_FreeValue(context, function);
    JS_FreeValue(context, global);
    if (JS_IsException(value)) {
        return told();
    }
    const char *const sum = JS_ToCString(context, value);
    if (sum != NULL) {
        work_note(sum, strlen(sum));
    }
    JS_FreeCString(context, sum);
    JS_FreeValue(context, value);
    return NULL;
}

const char *work_round(uint32_t round)
{
    if (context == NULL || round % ROUNDS == 0) {
        work_end();
        const char *const failure = open_engine();
        if (failure != NULL) {
            work_end();
            return failure;
        }
    }
    return call_round(round);
}
