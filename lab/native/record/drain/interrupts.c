#define _POSIX_C_SOURCE 200809L /* sigaction */
#include "interrupts.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic uint32_t seen[2]; /* by the terminal, by a process */

static void note(int number, siginfo_t *what, void *context)
{
    (void)context;
    atomic_fetch_or(&seen[what->si_code <= 0 ? 1 : 0], UINT32_C(1) << number);
}

void hs_rec_interrupts_watch(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
    action.sa_sigaction = note;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGQUIT, &action, NULL);
}

uint32_t hs_rec_interrupts_take(bool of_process)
{
    return atomic_exchange(&seen[of_process ? 1 : 0], 0u);
}
