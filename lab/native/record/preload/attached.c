#include "session.h" /* HS_REC_IS_ATTACHED */

#if HS_REC_IS_ATTACHED

#include "attached.h"
#include "loaded.h"
#include "real.h"
#include "system.h"

typedef struct symbol {
    uint32_t name;
    uint8_t info, other;
    uint16_t section;
    uint64_t value, size;
} symbol_t;

/* A slot of a file: x86-64 has these with an addend alone, in all of its tables. */
typedef struct slot {
    uint64_t offset;
    uint32_t type, symbol;
    uint64_t addend;
} slot_t;

enum { PLAIN = 1, DATA_SLOT = 6, JUMP_SLOT = 7 }; /* x86-64's types of slots */

enum {
    PLT_SIZE = 2,
    STRINGS = 5,
    SYMBOLS = 6,
    RELA = 7,
    RELA_SIZE = 8,
    STRINGS_SIZE = 10,
    PLT = 23
};

#define READ 1u
#define WRITE 2u
#define EXECUTE 4u

typedef struct dynamic {
    uintptr_t tag, value;
} dynamic_t;

/* A loaded file: where it lies, and its tables. */
typedef struct file {
    uintptr_t base, start, end; /* its memory, from the first byte to behind the last */
    uintptr_t fixed, fixed_end; /* what the loader makes unwritable after its relocations */
    const hs_rec_header_t *headers;
    unsigned header_count;
    const symbol_t *symbols;
    const char *strings;
    uintptr_t strings_size;
    uintptr_t plt, plt_size, rela, rela_size;
} file_t;

void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void *reallocarray(void *, size_t, size_t);
void free(void *);
void *memalign(size_t, size_t);
void *aligned_alloc(size_t, size_t);
int posix_memalign(void **, size_t, size_t);
void *valloc(size_t);
void *pvalloc(size_t);
int dlclose(void *);
int pthread_setname_np(hs_rec_pthread_t, const char *);

/* Those of this object by a name that no other file has; see the aliases in hooks.c. */
#define OURS(name) {#name, (uintptr_t)hs_rec_our_##name, 0}

#define DECLARE(name)                                                                              \
    extern __attribute__((visibility("hidden"))) __typeof__(name) hs_rec_our_##name
DECLARE(malloc);
DECLARE(calloc);
DECLARE(realloc);
DECLARE(reallocarray);
DECLARE(free);
DECLARE(memalign);
DECLARE(aligned_alloc);
DECLARE(posix_memalign);
DECLARE(valloc);
DECLARE(pvalloc);
DECLARE(dlclose);
DECLARE(pthread_setname_np);

static struct hook {
    const char *name;
    uintptr_t ours;
    uintptr_t real; /* 0: the program has none */
} hooks[12];

#define HOOKS (sizeof hooks / sizeof *hooks)

static void name_hooks(void)
{
    const struct hook named[] = {
        OURS(malloc), OURS(calloc),   OURS(realloc),       OURS(reallocarray),
        OURS(free),   OURS(memalign), OURS(aligned_alloc), OURS(posix_memalign),
        OURS(valloc), OURS(pvalloc),  OURS(dlclose),       OURS(pthread_setname_np),
    };
    _Static_assert(sizeof named == sizeof hooks, "each has its place");
    memcpy(hooks, named, sizeof hooks);
}

static struct hook *hook_of(const char *name)
{
    for (size_t i = 0; i < HOOKS; i++) {
        if (hooks[i].name != NULL && strcmp(hooks[i].name, name) == 0) {
            return &hooks[i];
        }
    }
    return NULL;
}

void *hs_rec_attached_real(const char *name)
{
    const struct hook *hook = hook_of(name);
    return hook == NULL ? NULL : (void *)hook->real;
}

/* Once, before anything leads here: afterwards dlsym finds ours. */
static bool find_real(void)
{
    if (hooks[0].name != NULL) {
        return hooks[0].real != 0;
    }
    name_hooks();
    for (size_t i = 0; i < HOOKS && dlsym != NULL; i++) {
        hooks[i].real = (uintptr_t)dlsym(NULL, hooks[i].name);
    }
    return hooks[0].real != 0 && hs_rec_real_find();
}

/* ---- a loaded file ---- */

/* glibc writes addresses into a file's table, musl leaves offsets there. */
static uintptr_t address_in(const file_t *file, uintptr_t value)
{
    return value < file->base ? file->base + value : value;
}

static void read_dynamic(file_t *file, const dynamic_t *entry)
{
    for (; entry->tag != 0; entry++) {
        const uintptr_t value = entry->value;
        switch (entry->tag) {
        case PLT_SIZE:
            file->plt_size = value;
            break;
        case STRINGS:
            file->strings = (const char *)address_in(file, value);
            break;
        case STRINGS_SIZE:
            file->strings_size = value;
            break;
        case SYMBOLS:
            file->symbols = (const symbol_t *)address_in(file, value);
            break;
        case RELA:
            file->rela = address_in(file, value);
            break;
        case RELA_SIZE:
            file->rela_size = value;
            break;
        case PLT:
            file->plt = address_in(file, value);
            break;
        default:
            break;
        }
    }
}

/* False: it has no tables that are understood, as the kernel's own file. */
static bool read_file(const hs_rec_loaded_t *object, file_t *file)
{
    const dynamic_t *dynamic = NULL;
    *file = (file_t){.base = object->base,
                     .start = UINTPTR_MAX,
                     .headers = object->headers,
                     .header_count = object->header_count};
    for (unsigned i = 0; i < object->header_count; i++) {
        const hs_rec_header_t *header = &file->headers[i];
        const uintptr_t start = object->base + (uintptr_t)header->address;
        const uintptr_t end = start + (uintptr_t)header->size;
        if (header->type == HS_REC_PT_LOAD) {
            file->start = start < file->start ? start : file->start;
            file->end = end > file->end ? end : file->end;
        } else if (header->type == HS_REC_PT_DYNAMIC) {
            dynamic = (const dynamic_t *)start;
        } else if (header->type == HS_REC_PT_GNU_RELRO) {
            file->fixed = start;
            file->fixed_end = end;
        }
    }
    if (dynamic == NULL || strncmp(object->name, "linux-", 6) == 0) {
        return false;
    }
    read_dynamic(file, dynamic);
    return file->symbols != NULL && file->strings != NULL;
}

static bool is_in(const file_t *file, uintptr_t address)
{
    return address >= file->start && address < file->end;
}

/* ---- words that lead somewhere ---- */

static unsigned rights_at(const file_t *file, uintptr_t address)
{
    if (address >= file->fixed && address < file->fixed_end) {
        return READ;
    }
    for (unsigned i = 0; i < file->header_count; i++) {
        const hs_rec_header_t *header = &file->headers[i];
        const uintptr_t start = file->base + (uintptr_t)header->address;
        if (header->type == HS_REC_PT_LOAD && address - start < header->size) {
            return (header->flags & 4u ? READ : 0u) | (header->flags & 2u ? WRITE : 0u) |
                   (header->flags & 1u ? EXECUTE : 0u);
        }
    }
    return READ;
}

/* Whole at once, so that a thread that reads it meanwhile finds the one or the other. */
static bool write_word(const file_t *file, uintptr_t *word, uintptr_t value)
{
    const uintptr_t page_size = (uintptr_t)getpagesize();
    const uintptr_t page = (uintptr_t)word & ~(page_size - 1u);
    const unsigned rights = rights_at(file, (uintptr_t)word);
    if ((rights & WRITE) == 0 && !hs_rec_protect(page, page_size, rights | WRITE)) {
        return false;
    }
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    if ((rights & WRITE) == 0) {
        (void)hs_rec_protect(page, page_size, rights);
    }
    return true;
}

static void turn_slot(const file_t *file, const slot_t *at, bool attach)
{
    if (at->type != JUMP_SLOT && at->type != DATA_SLOT && at->type != PLAIN) {
        return;
    }
    const symbol_t *symbol = &file->symbols[at->symbol];
    const struct hook *hook =
        symbol->name < file->strings_size ? hook_of(file->strings + symbol->name) : NULL;
    uintptr_t *slot = (uintptr_t *)(file->base + at->offset);
    if (hook == NULL || hook->real == 0) {
        return;
    }
    const uintptr_t value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    const bool unbound = at->type == JUMP_SLOT && is_in(file, value) && symbol->section == 0;
    if (attach ? value == hook->real || unbound : value == hook->ours) {
        (void)write_word(file, slot, attach ? hook->ours : hook->real);
    }
}

static void turn_slots(const file_t *file, uintptr_t table, uintptr_t size, bool attach)
{
    const slot_t *slots = (const slot_t *)table;
    for (uintptr_t i = 0; slots != NULL && i < size / sizeof *slots; i++) {
        turn_slot(file, &slots[i], attach);
    }
}

/* The symbols of the C library: by them files that are loaded later, and dlsym, find ours. */
static bool turn_symbols(const file_t *file, bool attach)
{
    bool done = true;
    const symbol_t *end = (const symbol_t *)file->strings; /* mostly right behind; names tell */
    for (const symbol_t *at = file->symbols; at + 1 <= end; at++) {
        const struct hook *hook =
            at->name < file->strings_size ? hook_of(file->strings + at->name) : NULL;
        if (hook == NULL || hook->real == 0 || at->section == 0) {
            continue;
        }
        const uintptr_t from = attach ? hook->real : hook->ours;
        const uintptr_t to = attach ? hook->ours : hook->real;
        uintptr_t *value = (uintptr_t *)&at->value;
        if (file->base + *value == from) {
            done &= write_word(file, value, to - file->base);
        }
    }
    return done;
}

typedef struct turn {
    bool attach, symbols;
} turn_t;

static int turn_file(hs_rec_loaded_t *object, size_t size, void *context)
{
    (void)size;
    turn_t *turn = context;
    file_t file;
    if (!read_file(object, &file) || is_in(&file, (uintptr_t)hooks)) {
        return 0; /* ours lead to the real ones */
    }
    if (is_in(&file, hooks[0].real)) {
        turn->symbols = turn_symbols(&file, turn->attach);
    }
    turn_slots(&file, file.rela, file.rela_size, turn->attach);
    turn_slots(&file, file.plt, file.plt_size, turn->attach);
    return 0;
}

/* ---- what the recorder calls, by a thread of the program ---- */

HS_REC_EXPORT int heapscope_attach(const char *path)
{
    turn_t turn = {.attach = true};
    if (hs_rec_session_is_on()) {
        return HS_REC_ATTACH_ALREADY;
    }
    if (dl_iterate_phdr == NULL || !find_real()) {
        return HS_REC_ATTACH_NO_HEAP;
    }
    if (!hs_rec_session_prepare(path)) {
        return HS_REC_ATTACH_NO_MEMORY;
    }
    (void)dl_iterate_phdr(turn_file, &turn);
    if (!hs_rec_session_join()) {
        return HS_REC_ATTACH_NO_MEMORY;
    }
    return turn.symbols ? HS_REC_ATTACH_DONE : HS_REC_ATTACH_NO_SYMBOLS;
}

HS_REC_EXPORT int heapscope_detach(void)
{
    turn_t turn = {.attach = false};
    hs_rec_session_leave();
    if (dl_iterate_phdr != NULL) {
        (void)dl_iterate_phdr(turn_file, &turn);
    }
    return HS_REC_ATTACH_DONE;
}

#endif
