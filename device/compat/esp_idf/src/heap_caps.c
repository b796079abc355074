/* Blocks of esp_heap_caps.h: allocating, freeing, resizing, and who is notified. */
#include <stdarg.h>

#include "align.h"
#include "heaps.h"
#include "release.h"

#ifdef ESP_PLATFORM
#include "esp_system.h"
#endif

esp_tracer_t volatile heapscope_esp_tracer;

static esp_alloc_failed_hook_t failed_hook;

/* Bytes up to which malloc() prefers internal memory. */
#define ONLY_INTERNAL SIZE_MAX
static size_t internal_limit = ONLY_INTERNAL;

#define CALLER __builtin_return_address(0)

/* ---- what is reported ----------------------------------------------------------------------------- */

esp_err_t heap_caps_register_failed_alloc_callback(esp_alloc_failed_hook_t callback)
{
    if (callback == NULL) {
        return ESP_ERR_INVALID_ARG;
    }
    failed_hook = callback;
    return ESP_OK;
}

#if defined(CONFIG_HEAP_ABORT_WHEN_ALLOCATION_FAILS) && CONFIG_HEAP_ABORT_WHEN_ALLOCATION_FAILS
#if ESP_ABORT_NAMES_SIZE
#define SIZE_AT 23u
#define CAPS_AT 39u
static char abort_text[] = "Mem alloc fail. size 0x00000000 caps 0x00000000";

static void write_hex(char *to, uint32_t number)
{
    for (uint32_t i = 8; i-- > 0; number >>= 4) {
        const uint32_t digit = number & 15u;
        to[i] = (char)(digit < 10 ? '0' + digit : 'a' + digit - 10);
    }
}
#else
static const char abort_text[] = "Memory allocation failed";
#endif

static void abort_failed(size_t size, uint32_t caps)
{
#if ESP_ABORT_NAMES_SIZE
    write_hex(abort_text + SIZE_AT, (uint32_t)size);
    write_hex(abort_text + CAPS_AT, caps);
#else
    (void)size;
    (void)caps;
#endif
#ifdef ESP_PLATFORM
    esp_system_abort(abort_text);
#else
    HEAPSCOPE_ESP_ERROR("%s\n", abort_text);
    abort();
#endif
}
#endif

/* `function` NULL: the caller tells it. */
static void tell_failed(size_t size, uint32_t caps, const char *function)
{
    if (function == NULL) {
        return;
    }
    if (failed_hook != NULL) {
        failed_hook(size, caps, function);
    }
#if defined(CONFIG_HEAP_ABORT_WHEN_ALLOCATION_FAILS) && CONFIG_HEAP_ABORT_WHEN_ALLOCATION_FAILS
    abort_failed(size, caps);
#endif
}

static void tell_taken(void *block, size_t size, uint32_t caps, void *caller)
{
    heapscope_esp_task_took();
    esp_trace(block, size, caller);
#if HEAPSCOPE_ESP_HOOKS
    if (esp_heap_trace_alloc_hook != NULL) {
        esp_heap_trace_alloc_hook(block, size, caps);
    }
#else
    (void)caps;
#endif
}

static void tell_freed(void *block)
{
#if HEAPSCOPE_ESP_HOOKS
    if (esp_heap_trace_free_hook != NULL) {
        esp_heap_trace_free_hook(block);
    }
#endif
    heapscope_esp_task_gave(block);
}

/* ---- requests --------------------------------------------------------------------------------- */

/* Sets of capabilities that are tried in turn. */
typedef struct esp_choice {
    const uint32_t *caps;
    size_t count;
    const char *function; /* who asks */
    void *caller;         /* who asked for it */
} esp_choice_t;

/* `alignment` 1: the heap's own. */
static void *allocate(const esp_choice_t *choice, size_t alignment, size_t size, bool clear)
{
    hs_regions_t *const heaps = heapscope_esp_heaps();
    void *block = NULL;
    uint32_t caps = 0;
    for (size_t i = 0; i < choice->count && block == NULL && size != 0; i++) {
        caps = choice->caps[i];
        esp_request_t request = {alignment, size, caps};
        if (esp_align(&request)) {
            block = clear ? hs_regions_aligned_calloc(heaps, request.alignment, 1, request.size,
                                                      request.caps)
                          : hs_regions_aligned_alloc(heaps, request.alignment, request.size, 0,
                                                     request.caps);
        }
    }
    if (block != NULL) {
        tell_taken(block, size, caps, choice->caller);
    } else if (size != 0) {
        tell_failed(size, caps, choice->function);
    }
    return block;
}

static void release(void *ptr, void *caller)
{
    if (ptr == NULL) {
        return;
    }
    esp_trace(ptr, 0, caller); /* before somebody else has the address */
    const hs_status_t status = hs_regions_free(heapscope_esp_heaps(), ptr);
    if (status == HS_OK) {
        tell_freed(ptr);
    }
    heapscope_esp_refused(status, ptr);
}

/* In words, as some memory has nothing else; blocks are whole words. */
static void copy(uint32_t *to, const uint32_t *from, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(uint32_t); i++) {
        to[i] = from[i];
    }
}

/* To where the hardware's alignment holds: a heap that resizes in place does not know of it. */
static void *move(void *ptr, const esp_request_t *request)
{
    hs_regions_t *const heaps = heapscope_esp_heaps();
    const size_t held = hs_regions_usable_size(heaps, ptr);
    void *const moved = held == 0 ? NULL
                                  : hs_regions_aligned_alloc(heaps, request->alignment,
                                                             request->size, 0, request->caps);
    if (moved != NULL) {
        copy(moved, ptr, held < request->size ? held : request->size);
        (void)hs_regions_free(heaps, ptr);
    }
    return moved;
}

/* Where a block's heap starts, for those that are notified when it leaves it. */
static void *home_of(const void *block)
{
#if HEAPSCOPE_ESP_HOOKS || HEAPSCOPE_ESP_TASKS
    hs_region_state_t heap;
    return heapscope_esp_heap_at(block, &heap) ? heap.start : NULL;
#else
    (void)block;
    return NULL;
#endif
}

/* Hooks and traces see a realloc as an allocation, as in ESP-IDF; if the block went to another heap,
 * they also see its free. */
static void *resize(const esp_choice_t *choice, void *ptr, size_t size)
{
    if (ptr == NULL) {
        return allocate(choice, 1, size, false);
    }
    if (size == 0) {
        release(ptr, choice->caller);
        return NULL;
    }
    void *const home = home_of(ptr);
    void *moved = NULL;
    uint32_t caps = 0;
    for (size_t i = 0; i < choice->count && moved == NULL; i++) {
        caps = choice->caps[i];
        esp_request_t request = {1, size, caps};
        if (esp_align(&request)) {
            moved = request.alignment == 1
                        ? hs_regions_realloc(heapscope_esp_heaps(), ptr, request.size, request.caps)
                        : move(ptr, &request);
        }
    }
    if (moved == NULL) {
        const bool refused = hs_regions_usable_size(heapscope_esp_heaps(), ptr) == 0;
        heapscope_esp_refused(refused ? HS_ERR_ARGUMENT : HS_OK, ptr);
        tell_failed(size, caps, choice->function);
        return NULL;
    }
    esp_trace(ptr, 0, choice->caller);
    tell_taken(moved, size, caps, choice->caller);
    if (home_of(moved) != home) {
        tell_freed(ptr);
    }
    return moved;
}

/* ---- the interface ---------------------------------------------------------------------------- */

#define CHOICE(sets, number) {(sets), (number), __func__, CALLER}

void *heap_caps_malloc(size_t size, uint32_t caps)
{
    const esp_choice_t choice = CHOICE(&caps, 1);
    return allocate(&choice, 1, size, false);
}

/* false: it is more than there can be. */
static bool multiply(size_t n, size_t size, size_t *product)
{
    *product = n * size;
    return size == 0 || n <= SIZE_MAX / size;
}

void *heap_caps_calloc(size_t n, size_t size, uint32_t caps)
{
    const esp_choice_t choice = CHOICE(&caps, 1);
    size_t product;
    if (!multiply(n, size, &product)) {
        tell_failed(SIZE_MAX, caps, __func__);
        return NULL;
    }
    return allocate(&choice, 1, product, true);
}

void *heap_caps_realloc(void *ptr, size_t size, uint32_t caps)
{
    const esp_choice_t choice = CHOICE(&caps, 1);
    return resize(&choice, ptr, size);
}

void heap_caps_free(void *ptr)
{
    release(ptr, CALLER);
}

static bool is_power(size_t alignment)
{
    return alignment != 0 && (alignment & (alignment - 1)) == 0;
}

void *heap_caps_aligned_alloc(size_t alignment, size_t size, uint32_t caps)
{
    const esp_choice_t choice = CHOICE(&caps, 1);
    return is_power(alignment) ? allocate(&choice, alignment, size, false) : NULL;
}

void *heap_caps_aligned_calloc(size_t alignment, size_t n, size_t size, uint32_t caps)
{
    const esp_choice_t choice = CHOICE(&caps, 1);
    size_t product;
    if (!is_power(alignment)) {
        return NULL;
    }
    if (!multiply(n, size, &product)) {
        tell_failed(SIZE_MAX, caps, __func__);
        return NULL;
    }
    return allocate(&choice, alignment, product, true);
}

void heap_caps_aligned_free(void *ptr)
{
    release(ptr, CALLER);
}

/* ---- several capabilities in turn ------------------------------------------------------------- */

#define CHOICES 16u    /* more of them are not looked at */
#define NO_NUMBER 256u /* no call has so many arguments */

/* Where `num` cannot be a number, a program gave its only set of capabilities in that place, as those
 * do that were written against the original's functions for Linux: they look at none. */
static size_t read_choices(uint32_t *caps, size_t num, va_list arguments)
{
    if (num >= NO_NUMBER) {
        caps[0] = (uint32_t)num;
        return 1;
    }
    const size_t count = num < CHOICES ? num : CHOICES;
    for (size_t i = 0; i < count; i++) {
        caps[i] = va_arg(arguments, uint32_t);
    }
    return count;
}

#define READ_CHOICES(num)                                                                          \
    uint32_t sets[CHOICES];                                                                        \
    va_list arguments;                                                                             \
    va_start(arguments, num);                                                                      \
    const esp_choice_t choice = CHOICE(sets, read_choices(sets, num, arguments));                  \
    va_end(arguments)

void *heap_caps_malloc_prefer(size_t size, size_t num, ...)
{
    READ_CHOICES(num);
    return allocate(&choice, 1, size, false);
}

void *heap_caps_realloc_prefer(void *ptr, size_t size, size_t num, ...)
{
    READ_CHOICES(num);
    return resize(&choice, ptr, size);
}

void *heap_caps_calloc_prefer(size_t n, size_t size, size_t num, ...)
{
    READ_CHOICES(num);
    size_t product;
    if (!multiply(n, size, &product)) {
        tell_failed(SIZE_MAX, choice.count != 0 ? sets[choice.count - 1] : 0, __func__);
        return NULL;
    }
    return allocate(&choice, 1, product, true);
}

/* ---- malloc() and realloc() ------------------------------------------------------------------- */

void heap_caps_malloc_extmem_enable(size_t limit)
{
    internal_limit = limit;
}

/* The second one is any memory that malloc() may give out. */
static size_t default_choices(uint32_t sets[2], size_t size)
{
    const bool internal = internal_limit == ONLY_INTERNAL || size <= internal_limit;
    sets[0] = MALLOC_CAP_DEFAULT | (internal ? MALLOC_CAP_INTERNAL : MALLOC_CAP_SPIRAM);
    sets[1] = MALLOC_CAP_DEFAULT;
    return internal_limit == ONLY_INTERNAL ? 1 : 2;
}

void *heap_caps_malloc_default(size_t size)
{
    uint32_t sets[2];
    const esp_choice_t choice = CHOICE(sets, default_choices(sets, size));
    return allocate(&choice, 1, size, false);
}

/* The C library's memalign(), aligned_alloc() and posix_memalign() call it. */
void *heap_caps_aligned_alloc_default(size_t alignment, size_t size)
{
    uint32_t sets[2];
    const esp_choice_t choice = CHOICE(sets, default_choices(sets, size));
    return is_power(alignment) ? allocate(&choice, alignment, size, false) : NULL;
}

void *heap_caps_realloc_default(void *ptr, size_t size)
{
    uint32_t sets[2];
    const esp_choice_t choice = CHOICE(sets, default_choices(sets, size));
    return resize(&choice, ptr, size);
}

/* ---- the same without a word about failures: names that a project's --wrap options may have ----- */

#define SILENT_CHOICE(sets) {(sets), 1, NULL, CALLER}

void *heap_caps_malloc_base(size_t size, uint32_t caps)
{
    const esp_choice_t choice = SILENT_CHOICE(&caps);
    return allocate(&choice, 1, size, false);
}

void *heap_caps_calloc_base(size_t n, size_t size, uint32_t caps)
{
    const esp_choice_t choice = SILENT_CHOICE(&caps);
    size_t product;
    return multiply(n, size, &product) ? allocate(&choice, 1, product, true) : NULL;
}

void *heap_caps_realloc_base(void *ptr, size_t size, uint32_t caps)
{
    const esp_choice_t choice = SILENT_CHOICE(&caps);
    return resize(&choice, ptr, size);
}

void *heap_caps_aligned_alloc_base(size_t alignment, size_t size, uint32_t caps)
{
    const esp_choice_t choice = SILENT_CHOICE(&caps);
    return is_power(alignment) ? allocate(&choice, alignment, size, false) : NULL;
}
