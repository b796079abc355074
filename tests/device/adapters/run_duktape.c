/* Duktape on a private heap: the same results as on malloc; a script that wants more than there is
 * gets an error that it can catch, and the engine goes on. */
#include <duktape.h>
#include <setjmp.h>

#include "adapters/duktape.h"
#include "heap_under_test.h"

static const char script[] =
    "var days = [], text, sum = 0, i, j;"
    "for (i = 0; i < 5; i++) {"
    "  days.push({name: 'series ' + i, values: []});"
    "  for (j = 0; j < 288; j++) days[i].values.push(Math.sin(i * j) * 1000);"
    "}"
    "for (i = 0; i < 4; i++) {"
    "  text = JSON.stringify(days);"
    "  days = JSON.parse(text);"
    "  days[i].values = days[i].values.map(function (v) { return Math.round(v * 7) / 3; });"
    "}"
    "for (i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) % 1000003;"
    "text.length + ' ' + sum";

static const char greedy[] =
    "var all = []; try { for (;;) all.push(new Array(200).join('x') + all.length); }"
    "catch (e) { all = null; Duktape.gc(); '' + e; }";

static jmp_buf broken;

static void fatal(void *udata, const char *message)
{
    (void)udata;
    CHECK(false, "%s", message);
}

static void evaluate(duk_context *duk, const char *text, char *result, size_t size)
{
    CHECK(duk_peval_string(duk, text) == 0, "%s", duk_safe_to_string(duk, -1));
    snprintf(result, size, "%s", duk_safe_to_string(duk, -1));
    duk_pop(duk);
}

static duk_context *create(heap_under_test_t *test)
{
    return duk_create_heap(hs_duktape_alloc, hs_duktape_realloc, hs_duktape_free, test->heap,
                           fatal);
}

static void check_same_as_malloc(void)
{
    char expected[64];
    char result[64];
    duk_context *plain = duk_create_heap_default();
    evaluate(plain, script, expected, sizeof expected);
    duk_destroy_heap(plain);

    heap_under_test_t test;
    heap_open(&test, "script", 1u << 20);
    duk_context *duk = create(&test);
    CHECK(duk != NULL, "no engine");
    for (int i = 0; i < 3; i++) {
        evaluate(duk, script, result, sizeof result);
        CHECK(strcmp(result, expected) == 0, "%s, not %s", result, expected);
        CHECK(heap_figures(&test).failures == 0, "failures");
    }
    hs_private_info_t info = heap_figures(&test);
    CHECK(info.blocks > 1000 && info.used > 50000, "the engine is not on this heap");
    heap_print(&test);
    duk_destroy_heap(duk);
    heap_close(&test);
}

static void check_full(void)
{
    heap_under_test_t test;
    char result[64];
    heap_open(&test, "small", 400000);
    duk_context *duk = create(&test);
    CHECK(duk != NULL, "no engine");
    for (int i = 0; i < 3; i++) {
        evaluate(duk, greedy, result, sizeof result);
        CHECK(strstr(result, "alloc") != NULL, "%s", result);
        CHECK(test.reported > 0, "told of no failure");
        evaluate(duk, "1 + 1", result, sizeof result);
        CHECK(strcmp(result, "2") == 0, "%s", result);
    }
    heap_figures(&test);
    heap_print(&test);
    duk_destroy_heap(duk);
    heap_close(&test);
}

static bool leave(void *context, const hs_private_failure_t *failure)
{
    (void)context;
    CHECK(failure->size > failure->largest, "%zu of %zu", failure->size, failure->largest);
    longjmp(broken, 1);
}

/* Too small for an engine, which Duktape 2.7 itself does not survive: it makes an error object for
 * want of memory to make an error object. `full` leaves, and the heap is thrown away as a whole. */
static void check_too_small(void)
{
    static uint64_t memory[120000 / 8];
    static size_t size; /* not changed by longjmp */
    static unsigned refused, built;
    for (size = 2000; size < sizeof memory; size += 1900) {
        const hs_private_config_t config = {.size = size, .memory = memory, .full = leave};
        hs_private_t *heap = hs_private_create(&config);
        CHECK(heap != NULL, "no heap in %zu bytes", size);
        if (setjmp(broken) == 0) {
            duk_destroy_heap(duk_create_heap(hs_duktape_alloc, hs_duktape_realloc, hs_duktape_free,
                                             heap, fatal));
            built++;
        } else {
            refused++;
        }
        CHECK(hs_private_check(heap) == HS_OK, "the heap contradicts itself");
        hs_private_destroy(heap);
    }
    CHECK(refused > 10 && built > 0, "%u engines were refused, %u made", refused, built);
}

int main(void)
{
    check_same_as_malloc();
    check_full();
    check_too_small();
    return 0;
}
