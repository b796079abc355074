/* lwIP's system: the kernel's objects. */
#ifndef FIRMWARE_SYS_ARCH_H
#define FIRMWARE_SYS_ARCH_H

#include "small_kernel.h"

typedef struct sys_sem {
    kernel_semaphore_t semaphore;
    bool valid;
} sys_sem_t;
#define sys_sem_valid(sem) ((sem)->valid)
#define sys_sem_set_invalid(sem) ((sem)->valid = false)

typedef struct sys_mutex {
    kernel_mutex_t mutex;
    bool valid;
} sys_mutex_t;
#define sys_mutex_valid(mutex) ((mutex)->valid)
#define sys_mutex_set_invalid(mutex) ((mutex)->valid = false)

typedef kernel_mailbox_t sys_mbox_t;
#define sys_mbox_valid(mbox) ((mbox)->slots != NULL)
#define sys_mbox_set_invalid(mbox) ((mbox)->slots = NULL)

typedef uint32_t sys_thread_t;
typedef uint32_t sys_prot_t;

#endif
