/* dl_phdr_info and a program header: the dynamic linker describes each file that it has loaded so.
 * <link.h> declares them only with GNU's extensions. A statically linked program does not have the
 * call. */
#ifndef HEAPSCOPE_RECORD_LOADED_H
#define HEAPSCOPE_RECORD_LOADED_H

#include <stddef.h>
#include <stdint.h>

#define HS_REC_PT_LOAD 1u
#define HS_REC_PT_DYNAMIC 2u
#define HS_REC_PT_GNU_RELRO 0x6474E552u
#define HS_REC_PT_GNU_EH_FRAME 0x6474E550u

typedef struct hs_rec_loaded {
    uintptr_t base;
    const char *name;
    const void *headers;
    uint16_t header_count;
} hs_rec_loaded_t;

typedef struct hs_rec_header {
#if UINTPTR_MAX > UINT32_MAX
    uint32_t type, flags;
    uint64_t offset, address, physical, file_size, size, align;
#else
    uint32_t type, offset, address, physical, file_size, size, flags, align;
#endif
} hs_rec_header_t;

/* Calls `call` of each file with a size and `context` until it returns other than 0. */
__attribute__((weak)) int dl_iterate_phdr(int (*call)(hs_rec_loaded_t *, size_t, void *),
                                          void *context);

#endif
