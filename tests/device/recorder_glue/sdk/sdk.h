/* How a program of these tests drives the stand-ins. */
#ifndef TESTS_SDK_H
#define TESTS_SDK_H

void sdk_line(const char *path); /* where all lines end */
void sdk_turn(void); /* the task runs until it waits, and what was sent leaves the chip */
void sdk_unplug(unsigned turns); /* for so many turns nobody is at the other end of USB */
int sdk_uart_baud(void);         /* 0: nobody chose one */

#endif
