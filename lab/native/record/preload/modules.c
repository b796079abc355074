/* The files whose code a program runs, and where they lie: told before the first stack that has an
 * address of them. */
#include "modules.h"

#include "loaded.h"
#include "session.h"
#include "unwind.h"

#define MODULES_MAX 512u

/* Ranges of this process that were reported. Each thread takes a slot of its own, whose end is written
 * last: 0 until then. Two threads that tell the same file twice do no harm. */
static struct {
    _Atomic uintptr_t start, end;
} reported[MODULES_MAX];
static _Atomic uint32_t reported_count; /* slots taken, or more where there are no more */

static bool is_reported(uintptr_t address)
{
    const uint32_t count = atomic_load_explicit(&reported_count, memory_order_acquire);
    for (uint32_t i = 0; i < count && i < MODULES_MAX; i++) {
        const uintptr_t end = atomic_load_explicit(&reported[i].end, memory_order_acquire);
        const uintptr_t start = atomic_load_explicit(&reported[i].start, memory_order_relaxed);
        if (start <= address && address < end) {
            return true;
        }
    }
    return false;
}

static int tell(hs_rec_loaded_t *object, size_t size, void *context)
{
    (void)size;
    const uintptr_t address = *(const uintptr_t *)context;
    const hs_rec_header_t *headers = object->headers;
    uintptr_t start = UINTPTR_MAX, end = 0;
    for (unsigned i = 0; i < object->header_count; i++) {
        if (headers[i].type == HS_REC_PT_LOAD) {
            const uintptr_t from = object->base + (uintptr_t)headers[i].address;
            const uintptr_t to = from + (uintptr_t)headers[i].size;
            start = from < start ? from : start;
            end = to > end ? to : end;
        }
    }
    if (start > address || address >= end) {
        return 0;
    }
    const uint32_t at = atomic_fetch_add(&reported_count, 1u);
    if (at < MODULES_MAX) {
        atomic_store_explicit(&reported[at].start, start, memory_order_relaxed);
        atomic_store_explicit(&reported[at].end, end, memory_order_release);
    }
    hs_rec_put_text(object->name, strlen(object->name)); /* "": the program itself */
    hs_rec_put(HS_REC_MODULE, start, end - start, object->base, 0);
    return 1;
}

void hs_rec_modules_announce(const uint64_t *frames, unsigned count)
{
    for (unsigned i = 0; i < count && dl_iterate_phdr != NULL; i++) {
        uintptr_t address = (uintptr_t)frames[i] - 1u;
        if (!is_reported(address)) {
            (void)dl_iterate_phdr(tell, &address);
        }
    }
}

void hs_rec_modules_forget(void)
{
    for (uint32_t i = 0; i < MODULES_MAX; i++) {
        atomic_store_explicit(&reported[i].end, 0, memory_order_relaxed);
    }
    atomic_store(&reported_count, 0u);
}

#ifndef HS_REC_LINKED

#include "real.h"

int HS_REC_HOOK(dlclose)(void *);

HS_REC_EXPORT int HS_REC_HOOK(dlclose)(void *handle)
{
    static int (*real)(void *);
    if (real == NULL) {
        void *match = hs_rec_real_next("dlclose");
        memcpy(&real, &match, sizeof match);
    }
    const int status = real == NULL ? -1 : real(handle);
    hs_rec_unwind_forget();
    hs_rec_modules_forget();
    return status;
}

#endif
