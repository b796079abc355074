#include "real.h"

#include "attached.h"

#include <stdatomic.h>

#define ARENA_BYTES 65536u

static _Alignas(64) unsigned char arena[ARENA_BYTES];
static _Atomic size_t arena_used;

void *hs_rec_arena_take(size_t align, size_t size)
{
    if (align < 16u) {
        align = 16u;
    }
    if (size > ARENA_BYTES || align > 4096u) {
        return NULL;
    }
    size_t used = atomic_load(&arena_used);
    size_t from = 0, to = 0;
    do { /* until no other thread takes at the same moment */
        const uintptr_t first = (uintptr_t)arena + used;
        from = used + ((align - first % align) % align);
        to = from + size + (size == 0);
        if (to > ARENA_BYTES) {
            return NULL;
        }
    } while (!atomic_compare_exchange_weak(&arena_used, &used, to));
    return arena + from;
}

bool hs_rec_arena_has(const void *block)
{
    return (uintptr_t)block - (uintptr_t)arena < ARENA_BYTES;
}

size_t hs_rec_arena_size(const void *block)
{
    return ARENA_BYTES - ((uintptr_t)block - (uintptr_t)arena);
}

#ifdef HS_REC_LINKED

/* By which the recorder knows a static program that can be recorded. */
__attribute__((used, section("heapscope_record"))) static const char linked[] = "1";

void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void __real_free(void *);
__attribute__((weak)) void *__real_memalign(size_t, size_t);
__attribute__((weak)) void *__real_aligned_alloc(size_t, size_t);
__attribute__((weak)) int __real_posix_memalign(void **, size_t, size_t);
__attribute__((weak)) void *__real_valloc(size_t);
__attribute__((weak)) void *__real_pvalloc(size_t);

/* From the start: the first calls may come from several threads at once. */
hs_rec_real_t hs_rec_real = {__real_malloc,         __real_calloc,   __real_realloc,
                             __real_free,           __real_memalign, __real_aligned_alloc,
                             __real_posix_memalign, __real_valloc,   __real_pvalloc};

bool hs_rec_real_find(void)
{
    return true;
}

void *hs_rec_real_next(const char *name)
{
    (void)name;
    return NULL;
}

#else

hs_rec_real_t hs_rec_real;

#if HS_REC_IS_ATTACHED

void *hs_rec_real_next(const char *name)
{
    return hs_rec_attached_real(name);
}

#else

void *hs_rec_real_next(const char *name)
{
    return dlsym == NULL ? NULL : dlsym(HS_REC_RTLD_NEXT, name);
}

#endif

/* glibc's own names of its functions, where there is no dlsym. */
__attribute__((weak)) void *__libc_malloc(size_t);
__attribute__((weak)) void *__libc_calloc(size_t, size_t);
__attribute__((weak)) void *__libc_realloc(void *, size_t);
__attribute__((weak)) void __libc_free(void *);
__attribute__((weak)) void *__libc_memalign(size_t, size_t);

/* A function pointer out of an object pointer, as POSIX has it. */
#define FIND(member, name, instead)                                                                \
    do {                                                                                           \
        void *actual_ = hs_rec_real_next(name);                                                    \
        if (actual_ != NULL) {                                                                     \
            memcpy(&real.member, &actual_, sizeof actual_);                                        \
        } else {                                                                                   \
            real.member = (instead);                                                               \
        }                                                                                          \
    } while (0)

bool hs_rec_real_find(void)
{
    static _Atomic int busy;
    if (atomic_exchange(&busy, 1) != 0) {
        return false;
    }
    hs_rec_real_t real;
    FIND(malloc, "malloc", __libc_malloc);
    FIND(calloc, "calloc", __libc_calloc);
    FIND(realloc, "realloc", __libc_realloc);
    FIND(free, "free", __libc_free);
    FIND(memalign, "memalign", __libc_memalign);
    FIND(aligned_alloc, "aligned_alloc", __libc_memalign);
    FIND(posix_memalign, "posix_memalign", NULL);
    FIND(valloc, "valloc", NULL);
    FIND(pvalloc, "pvalloc", NULL);
    void *(*const first)(size_t) = real.malloc;
    real.malloc = NULL;
    hs_rec_real = real; /* a thread that sees malloc sees the others, too */
    __atomic_store_n(&hs_rec_real.malloc, first, __ATOMIC_RELEASE);
    return true;
}

#endif

/* ---- whose they are ---- */

static void put_text(char *out, size_t capacity, const char *first, const char *then)
{
    size_t at = 0;
    for (; *first != 0 && at + 1 < capacity; at++) {
        out[at] = *first++;
    }
    for (; *then != 0 && at + 1 < capacity; at++) {
        out[at] = *then++;
    }
    out[at] = 0;
}

void hs_rec_allocator_name(char *out, size_t capacity)
{
    hs_rec_place_t place = {0};
    const char *file = "";
    if (dladdr != NULL && hs_rec_real.malloc != NULL &&
        dladdr((const void *)(uintptr_t)hs_rec_real.malloc, &place) != 0 && place.file != NULL) {
        file = place.file;
        for (const char *at = place.file; *at != 0; at++) {
            file = *at == '/' ? at + 1 : file;
        }
    }
    if (file[0] != 0 && strncmp(file, "libc.", 5) != 0 && strncmp(file, "libc-", 5) != 0 &&
        strncmp(file, "ld-musl", 7) != 0) {
        put_text(out, capacity, file, "");
    } else if (gnu_get_libc_version != NULL) {
        put_text(out, capacity, "glibc ", gnu_get_libc_version());
    } else {
        put_text(out, capacity, "musl", "");
    }
}
