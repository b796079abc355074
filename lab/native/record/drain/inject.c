#define _GNU_SOURCE /* tgkill, __WALL */
#include "inject.h"

#if defined(__x86_64__) && defined(__linux__)

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RETURN_TO 8u          /* nothing is mapped there: the end of the call is seen as a fault */
#define RED_ZONE 128u         /* bytes below the stack pointer that a function may use */
#define STACK_LEAST 65536u    /* that a call must find on a thread's stack */
#define STACK_SEARCHED 65536u /* words in which a signal handler's return address may stand */
#define THREADS_MAX 4096u
#define CALL_SECONDS 10.0
#define STATE_BYTES 16384u   /* of a thread's vector registers */
#define STOPPED_BY_EVENT 128 /* PTRACE_EVENT_STOP */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void nap(void)
{
    const struct timespec length = {0, 300000};
    (void)nanosleep(&length, NULL);
}

/* ---- a thread that is held ---- */

typedef struct held {
    pid_t thread;
    struct user_regs_struct registers; /* as they were */
    uint8_t state[STATE_BYTES];
    size_t state_size;
} held_t;

/* C libraries do not agree on the type of a request. */
#define trace(request, thread, address, data)                                                      \
    ptrace((request), (thread), (void *)(address), (void *)(data))

/* Waits for a stop of the thread; false: it is over. */
static bool wait_for(pid_t thread, int *status, double until, bool *late)
{
    *late = false;
    for (;;) {
        const pid_t match = waitpid(thread, status, __WALL | WNOHANG);
        if (match == thread) {
            return !WIFEXITED(*status) && !WIFSIGNALED(*status);
        }
        if (match < 0 && errno != EINTR) {
            return false;
        }
        if (now() > until) {
            *late = true;
            return true;
        }
        const struct timespec length = {0, 50000};
        (void)nanosleep(&length, NULL);
    }
}

static bool is_event_stop(int status)
{
    return WIFSTOPPED(status) && status >> 16 == STOPPED_BY_EVENT;
}

static void let_go(pid_t thread, int signal_number)
{
    (void)trace(PTRACE_DETACH, thread, 0, (uintptr_t)signal_number);
}

/* Stops a thread without a signal. False: it is over, or not ours to stop; errno. */
static bool hold(held_t *held, pid_t thread)
{
    int status = 0;
    bool late = false;
    held->thread = thread;
    if (trace(PTRACE_SEIZE, thread, 0, 0) != 0) {
        return false;
    }
    if (trace(PTRACE_INTERRUPT, thread, 0, 0) != 0 ||
        !wait_for(thread, &status, now() + 1.0, &late)) {
        errno = ESRCH;
        return false;
    }
    if (late || !is_event_stop(status)) { /* a signal was there first: it has its way */
        if (!late) {
            let_go(thread, WSTOPSIG(status));
        } else { /* asleep where nothing interrupts it: it is let go of when it wakes up */
            (void)waitpid(thread, &status, __WALL);
            let_go(thread, 0);
        }
        errno = EAGAIN;
        return false;
    }
    struct iovec state = {held->state, sizeof held->state};
    if (trace(PTRACE_GETREGS, thread, 0, (uintptr_t)&held->registers) != 0 ||
        trace(PTRACE_GETREGSET, thread, NT_X86_XSTATE, (uintptr_t)&state) != 0) {
        let_go(thread, 0);
        errno = EAGAIN;
        return false;
    }
    held->state_size = state.iov_len;
    return true;
}

/* ---- whether the moment is one ---- */

static bool is_in(const hs_rec_range_t *range, uint64_t address)
{
    return address >= range->start && address < range->end;
}

/* System calls that wait for something outside of the process, and are begun again. A sleep or a poll that
 * was stopped once goes on as restart_syscall. */
static bool may_wait_in(long number)
{
    static const long known[] = {
        SYS_read,      SYS_poll,    SYS_ppoll,           SYS_select,        SYS_pselect6,
        SYS_nanosleep, SYS_futex,   SYS_clock_nanosleep, SYS_epoll_wait,    SYS_epoll_pwait,
        SYS_accept,    SYS_accept4, SYS_recvfrom,        SYS_recvmsg,       SYS_wait4,
        SYS_waitid,    SYS_pause,   SYS_rt_sigtimedwait, SYS_rt_sigsuspend, SYS_restart_syscall,
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i] == number) {
            return true;
        }
    }
    return false;
}

/* Results of a system call that the kernel will begin again: ERESTARTSYS and its like. */
static bool is_restarted(uint64_t result)
{
    const int64_t value = (int64_t)result;
    return value == -512 || value == -513 || value == -514 || value == -516;
}

/* The mapping that a thread's stack pointer lies in. The system enlarges the one called [stack]. */
static bool stack_of(pid_t pid, uint64_t pointer, hs_rec_range_t *out, bool *grows)
{
    char line[512], path[64];
    bool hit = false;
    (void)snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *file = fopen(path, "r");
    while (file != NULL && !hit && fgets(line, sizeof line, file) != NULL) {
        unsigned long start = 0, end = 0;
        if (sscanf(line, "%lx-%lx", &start, &end) == 2 && pointer >= start && pointer < end) {
            *out = (hs_rec_range_t){start, end};
            *grows = strstr(line, "[stack]") != NULL;
            hit = true;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return hit;
}

/* A handler may have interrupted the allocator: its frame tells where it returns to. */
static bool may_be_in_a_handler(const hs_rec_call_t *call, uint64_t pointer,
                                const hs_rec_range_t *stack)
{
    static uint64_t words[STACK_SEARCHED / 8];
    const uint64_t from = pointer & ~UINT64_C(7);
    const uint64_t there = stack->end - from;
    struct iovec ours = {words, there < sizeof words ? (size_t)there : sizeof words};
    struct iovec theirs = {(void *)(uintptr_t)from, ours.iov_len};
    const ssize_t count = process_vm_readv((pid_t)call->pid, &ours, 1, &theirs, 1, 0);
    for (ssize_t i = 0; i < count / 8; i++) {
        if (words[i] == call->signal_return) {
            return true;
        }
    }
    return count <= 0;
}

static bool is_good_moment(const hs_rec_call_t *call, const held_t *held)
{
    const struct user_regs_struct *registers = &held->registers;
    if ((int64_t)registers->orig_rax >= 0) {
        if (!is_restarted(registers->rax) || !may_wait_in((long)registers->orig_rax) ||
            !is_in(&call->library, registers->rip)) {
            return false;
        }
    } else {
        for (size_t i = 0; i < call->avoided_count; i++) {
            if (is_in(&call->avoided[i], registers->rip)) {
                return false;
            }
        }
    }
    hs_rec_range_t stack;
    bool grows = false;
    return stack_of((pid_t)call->pid, registers->rsp, &stack, &grows) &&
           (grows || registers->rsp - stack.start >= STACK_LEAST) &&
           !may_be_in_a_handler(call, registers->rsp, &stack);
}

/* ---- the call ---- */

static bool write_bytes(pid_t pid, uint64_t to, const void *bytes, size_t count)
{
    struct iovec ours = {(void *)(uintptr_t)bytes, count};
    struct iovec theirs = {(void *)(uintptr_t)to, count};
    return process_vm_writev(pid, &ours, 1, &theirs, 1, 0) == (ssize_t)count;
}

static bool begin_call(const hs_rec_call_t *call, const held_t *held)
{
    struct user_regs_struct registers = held->registers;
    const size_t length = call->text == NULL ? 0 : strlen(call->text) + 1;
    const uint64_t text = (registers.rsp - RED_ZONE - length) & ~UINT64_C(15);
    const uint64_t back = RETURN_TO;
    registers.rsp = text - 8;
    registers.rdi = call->text == NULL ? call->number : text;
    registers.rsi = call->number;
    registers.rax = 0;
    registers.orig_rax = UINT64_MAX; /* no system call is begun again */
    registers.rip = call->function;
    registers.eflags &= ~UINT64_C(0x500); /* no steps, strings upwards */
    return (length == 0 || write_bytes((pid_t)call->pid, text, call->text, length)) &&
           write_bytes((pid_t)call->pid, registers.rsp, &back, sizeof back) &&
           trace(PTRACE_SETREGS, held->thread, 0, (uintptr_t)&registers) == 0 &&
           trace(PTRACE_CONT, held->thread, 0, 0) == 0;
}

static bool is_fault(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE;
}

/* Until it returns. Signals that come meanwhile are the program's. */
static hs_rec_injected_t end_call(const held_t *held, uint64_t *result)
{
    const double until = now() + CALL_SECONDS;
    for (;;) {
        int status = 0, passed = 0;
        bool late = false;
        if (!wait_for(held->thread, &status, until, &late)) {
            return HS_REC_INJECT_ENDED;
        }
        if (late) {
            return trace(PTRACE_INTERRUPT, held->thread, 0, 0) == 0 &&
                           wait_for(held->thread, &status, now() + 1.0, &late) && !late
                       ? HS_REC_INJECT_LATE
                       : HS_REC_INJECT_ENDED;
        }
        struct user_regs_struct registers;
        if (status >> 16 == 0 && is_fault(WSTOPSIG(status)) &&
            trace(PTRACE_GETREGS, held->thread, 0, (uintptr_t)&registers) == 0) {
            *result = registers.rax;
            return registers.rip == RETURN_TO ? HS_REC_INJECT_DONE : HS_REC_INJECT_FAILED;
        }
        passed = status >> 16 == 0 ? WSTOPSIG(status) : 0;
        (void)trace(PTRACE_CONT, held->thread, 0, (uintptr_t)passed);
    }
}

static void restore(held_t *held)
{
    struct iovec state = {held->state, held->state_size};
    (void)trace(PTRACE_SETREGSET, held->thread, NT_X86_XSTATE, (uintptr_t)&state);
    (void)trace(PTRACE_SETREGS, held->thread, 0, (uintptr_t)&held->registers);
    let_go(held->thread, 0);
}

static hs_rec_injected_t make_call(const hs_rec_call_t *call, held_t *held, uint64_t *result)
{
    hs_rec_injected_t status = HS_REC_INJECT_FAILED;
    if (begin_call(call, held)) {
        status = end_call(held, result);
    }
    if (status != HS_REC_INJECT_ENDED) {
        restore(held);
    }
    return status;
}

/* ---- a thread for it ---- */

static size_t threads_of(uint32_t pid, pid_t *out)
{
    char path[64];
    size_t count = 0;
    (void)snprintf(path, sizeof path, "/proc/%u/task", pid);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        const long number = strtol(entry->d_name, NULL, 10);
        if (number > 0 && count < THREADS_MAX) {
            out[count++] = (pid_t)number;
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return count;
}

hs_rec_injected_t hs_rec_inject(const hs_rec_call_t *call, double seconds, uint64_t *result,
                                int *error)
{
    static pid_t threads[THREADS_MAX];
    static held_t held;
    const double until = now() + seconds;
    *result = 0;
    *error = 0;
    do {
        const size_t count = threads_of(call->pid, threads);
        if (count == 0) {
            return HS_REC_INJECT_ENDED;
        }
        for (size_t i = 0; i < count; i++) {
            if (hold(&held, threads[i])) {
                if (is_good_moment(call, &held)) {
                    return make_call(call, &held, result);
                }
                let_go(threads[i], 0);
            } else if (errno == EPERM) {
                *error = errno;
                return HS_REC_INJECT_REFUSED;
            }
        }
        nap();
    } while (now() < until);
    return HS_REC_INJECT_NO_MOMENT;
}

#else

hs_rec_injected_t hs_rec_inject(const hs_rec_call_t *call, double seconds, uint64_t *result,
                                int *error)
{
    (void)call, (void)seconds;
    *result = 0;
    *error = 0;
    return HS_REC_INJECT_UNKNOWN;
}

#endif
