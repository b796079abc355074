/*
 * A sink into a file of the machine that the debugger runs on (Arm semihosting, which RISC-V has, too). It
 * stops the processor for each chunk, and without a debugger it is a fault.
 *
 *   static hs_recorder_semihosting_t file;
 *   hs_recorder_semihosting_open(&file, "trace.hst");
 *   config.write = hs_recorder_semihosting_write; config.context = &file;
 */
#ifndef HEAPSCOPE_SINK_SEMIHOSTING_H
#define HEAPSCOPE_SINK_SEMIHOSTING_H

#include "heapscope/recorder.h"

#define HS_SEMIHOSTING_OPEN 0x01
#define HS_SEMIHOSTING_WRITE 0x05
#define HS_SEMIHOSTING_BINARY 5u /* "wb" */

typedef struct hs_recorder_semihosting {
    intptr_t handle; /* -1: none */
} hs_recorder_semihosting_t;

static inline intptr_t hs_recorder_semihosting_call(int what, const uintptr_t *arguments)
{
#if defined(__riscv)
    register intptr_t result __asm__("a0") = what;
    register const uintptr_t *block __asm__("a1") = arguments;
    /* Three instructions of four bytes each, in one page. */
    __asm__ volatile(".option push\n.option norvc\n.balign 16\n"
                     "slli zero, zero, 0x1f\nebreak\nsrai zero, zero, 7\n.option pop"
                     : "+r"(result)
                     : "r"(block)
                     : "memory");
    return result;
#elif defined(__arm__)
    register intptr_t result __asm__("r0") = what;
    register const uintptr_t *block __asm__("r1") = arguments;
    __asm__ volatile("bkpt 0xab" : "+r"(result) : "r"(block) : "memory");
    return result;
#else
#error "semihosting is of Arm and RISC-V"
#endif
}

static inline void hs_recorder_semihosting_open(hs_recorder_semihosting_t *file, const char *name)
{
    uintptr_t length = 0;
    while (name[length] != '\0') {
        length++;
    }
    const uintptr_t arguments[] = {(uintptr_t)name, HS_SEMIHOSTING_BINARY, length};
    file->handle = hs_recorder_semihosting_call(HS_SEMIHOSTING_OPEN, arguments);
}

/* hs_recorder_write_t. */
static inline size_t hs_recorder_semihosting_write(void *context, const uint8_t *bytes,
                                                   size_t count)
{
    const hs_recorder_semihosting_t *file = (const hs_recorder_semihosting_t *)context;
    const uintptr_t arguments[] = {(uintptr_t)file->handle, (uintptr_t)bytes, count};
    if (file->handle == -1) {
        return HS_SINK_BROKEN;
    }
    const uintptr_t left = (uintptr_t)hs_recorder_semihosting_call(HS_SEMIHOSTING_WRITE, arguments);
    return left <= count ? count - left : HS_SINK_BROKEN;
}

#endif
