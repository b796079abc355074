/* An allocation that fails ends the program, where that is configured; one for nothing does not. */
#include <signal.h>

#include "../../models/check.h"
#include "esp_heap_caps.h"

static int reported;

static void failed(size_t size, uint32_t caps, const char *function)
{
    (void)size;
    (void)caps;
    (void)function;
    reported++;
}

static void aborted(int signal_number)
{
    _Exit(signal_number == SIGABRT && reported == 1 ? 0 : 3);
}

int main(void)
{
    CHECK(signal(SIGABRT, aborted) != SIG_ERR, "no handler");
    CHECK(heap_caps_register_failed_alloc_callback(failed) == ESP_OK, "no callback");
    CHECK(heap_caps_malloc(0, MALLOC_CAP_DEFAULT) == NULL, "0 bytes");
    void *const block =
        heap_caps_malloc_prefer(100, 2, (uint32_t)MALLOC_CAP_INVALID, (uint32_t)MALLOC_CAP_DEFAULT);
    CHECK(block != NULL && reported == 0, "not the second choice");
    heap_caps_malloc(128 * 1024 * 1024, MALLOC_CAP_DEFAULT);
    CHECK(false, "it goes on");
    return 1;
}
