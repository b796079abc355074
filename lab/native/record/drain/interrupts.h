/* Who sent the recorder an interrupt: the terminal sends it to the recorded program as well, another
 * process does not. */
#ifndef HEAPSCOPE_RECORD_INTERRUPTS_H
#define HEAPSCOPE_RECORD_INTERRUPTS_H

#include <stdbool.h>
#include <stdint.h>

/* From now on SIGINT and SIGQUIT are noted, and do nothing else. */
void hs_rec_interrupts_watch(void);
/* Those that came since the last call, bit n for signal n: of another process, or of the terminal. */
uint32_t hs_rec_interrupts_take(bool of_process);

#endif
