#include "system.h"

/* Numbers of the kernel's interface, which never change. */
#if defined(__x86_64__)
enum {
    READ = 17,
    MMAP = 9,
    MUNMAP = 11,
    MPROTECT = 10,
    MADVISE = 28,
    GETPID = 39,
    KILL = 62,
    PRCTL = 157,
    GETTID = 186,
    FUTEX = 202,
    OPENAT = 257,
    READLINKAT = 267,
    CLOSE = 3
};
#define MMAP_UNIT 1u
#define LARGE 0L
#elif defined(__i386__)
enum {
    READ = 180,
    MMAP = 192,
    MUNMAP = 91,
    MPROTECT = 125,
    MADVISE = 219,
    GETPID = 20,
    KILL = 37,
    PRCTL = 172,
    GETTID = 224,
    FUTEX = 240,
    OPENAT = 295,
    READLINKAT = 305,
    CLOSE = 6
};
#define MMAP_UNIT 4096u /* mmap2 */
#define LARGE 0100000L  /* O_LARGEFILE: the shared memory is sparse and 2 GB long */
#elif defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64)
enum {
    READ = 67,
    MMAP = 222,
    MUNMAP = 215,
    MPROTECT = 226,
    MADVISE = 233,
    GETPID = 172,
    KILL = 129,
    PRCTL = 167,
    GETTID = 178,
    FUTEX = 98,
    OPENAT = 56,
    READLINKAT = 78,
    CLOSE = 57
};
#define MMAP_UNIT 1u
#define LARGE 0L
#else
#error "the recorder does not know this processor's system calls"
#endif

enum {
    AT_CURRENT = -100,
    OPEN_CLOEXEC = 02000000,
    OPEN_RDWR = 2,
    MAP_BOTH = 3,         /* PROT_READ | PROT_WRITE */
    MAP_OF_FILE = 0x8001, /* MAP_SHARED | MAP_POPULATE */
    MAP_OWN = 0x22,       /* MAP_PRIVATE | MAP_ANONYMOUS */
    ADVICE_WIPE = 18,
    FUTEX_WAIT_SHARED = 0,
    FUTEX_WAKE_SHARED = 1,
    GET_NAME = 16,
    NO_SUCH_PROCESS = 3
};

static long call(long number, long a, long b, long c, long d, long e, long f)
{
    int *error = __errno_location();
    const int kept = *error;
    const long result = syscall(number, a, b, c, d, e, f);
    const long match = result == -1 ? -(long)*error : result;
    *error = kept;
    return match;
}

int hs_rec_open(const char *path, bool to_write)
{
    const long flags = OPEN_CLOEXEC | LARGE | (to_write ? OPEN_RDWR : 0);
    return (int)call(OPENAT, AT_CURRENT, (long)path, flags, 0, 0, 0);
}

void hs_rec_close(int descriptor)
{
    (void)call(CLOSE, descriptor, 0, 0, 0, 0, 0);
}

long hs_rec_read(int descriptor, void *bytes, size_t count, uint64_t offset)
{
    /* Under i386 the offset is two words. */
    return call(READ, descriptor, (long)bytes, (long)count, (long)offset,
                sizeof(long) == 4 ? (long)(offset >> 32) : 0, 0);
}

long hs_rec_read_link(const char *path, char *out, size_t capacity)
{
    return call(READLINKAT, AT_CURRENT, (long)path, (long)out, (long)capacity, 0, 0);
}

void *hs_rec_map(int descriptor, uint64_t offset, size_t count)
{
    const long match = call(MMAP, 0, (long)count, MAP_BOTH, descriptor < 0 ? MAP_OWN : MAP_OF_FILE,
                            descriptor, (long)(offset / MMAP_UNIT));
    return match < 0 && match > -4096 ? NULL : (void *)match;
}

void hs_rec_unmap(void *memory, size_t count)
{
    (void)call(MUNMAP, (long)memory, (long)count, 0, 0, 0, 0);
}

bool hs_rec_protect(uintptr_t page, size_t count, unsigned rights)
{
    return call(MPROTECT, (long)page, (long)count, (long)rights, 0, 0, 0) == 0;
}

bool hs_rec_wipe_on_fork(void *memory, size_t count)
{
    return call(MADVISE, (long)memory, (long)count, ADVICE_WIPE, 0, 0, 0) == 0;
}

void hs_rec_wait(void *word, uint32_t value, unsigned milliseconds)
{
    const long limit[2] = {(long)(milliseconds / 1000u), (long)(milliseconds % 1000u) * 1000000L};
    (void)call(FUTEX, (long)word, FUTEX_WAIT_SHARED, (long)value, (long)limit, 0, 0);
}

void hs_rec_wake(void *word)
{
    (void)call(FUTEX, (long)word, FUTEX_WAKE_SHARED, INT32_MAX, 0, 0, 0);
}

uint32_t hs_rec_pid(void)
{
    return (uint32_t)call(GETPID, 0, 0, 0, 0, 0, 0);
}

bool hs_rec_is_main_thread(void)
{
    return call(GETTID, 0, 0, 0, 0, 0, 0) == call(GETPID, 0, 0, 0, 0, 0, 0);
}

bool hs_rec_is_alive(uint32_t pid)
{
    return call(KILL, (long)pid, 0, 0, 0, 0, 0) != -NO_SUCH_PROCESS;
}

void hs_rec_thread_name(uint64_t name[2])
{
    name[0] = name[1] = 0;
    (void)call(PRCTL, GET_NAME, (long)name, 0, 0, 0, 0);
}
