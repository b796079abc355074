/* lwIP on the kernel, and the network device as an interface of lwIP. */
#include "lwip_port.h"

#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "cpu.h"
#include "lwip/etharp.h"
#include "lwip/netif.h"
#include "lwip/sys.h"
#include "lwip/tcpip.h"
#include "memory.h"
#include "network_device.h"

/* ---- the system ------------------------------------------------------------------------------- */

void sys_init(void) {}

u32_t sys_now(void)
{
    return kernel_now();
}

sys_prot_t sys_arch_protect(void)
{
    return cpu_mask();
}

void sys_arch_unprotect(sys_prot_t before)
{
    cpu_restore(before);
}

err_t sys_sem_new(sys_sem_t *sem, u8_t count)
{
    *sem = (sys_sem_t){{count}, true};
    return ERR_OK;
}

void sys_sem_free(sys_sem_t *sem)
{
    (void)sem;
}

void sys_sem_signal(sys_sem_t *sem)
{
    kernel_give(&sem->semaphore);
}

/* lwIP's time-out of 0 is the kernel's for ever. */
static uint32_t ticks_of(u32_t timeout)
{
    return timeout == 0 ? KERNEL_FOREVER : timeout;
}

u32_t sys_arch_sem_wait(sys_sem_t *sem, u32_t timeout)
{
    const uint32_t begun = kernel_now();
    return kernel_take(&sem->semaphore, ticks_of(timeout)) ? kernel_now() - begun
                                                           : SYS_ARCH_TIMEOUT;
}

err_t sys_mutex_new(sys_mutex_t *mutex)
{
    *mutex = (sys_mutex_t){.valid = true};
    return ERR_OK;
}

void sys_mutex_free(sys_mutex_t *mutex)
{
    (void)mutex;
}

void sys_mutex_lock(sys_mutex_t *mutex)
{
    kernel_lock(&mutex->mutex);
}

void sys_mutex_unlock(sys_mutex_t *mutex)
{
    kernel_unlock(&mutex->mutex);
}

err_t sys_mbox_new(sys_mbox_t *mbox, int size)
{
    void **const slots = calloc((size_t)size, sizeof(void *));
    *mbox = (sys_mbox_t){.slots = slots, .size = (uint32_t)size};
    return slots != NULL ? ERR_OK : ERR_MEM;
}

void sys_mbox_free(sys_mbox_t *mbox)
{
    free(mbox->slots);
}

void sys_mbox_post(sys_mbox_t *mbox, void *message)
{
    kernel_send(mbox, message, KERNEL_FOREVER);
}

err_t sys_mbox_trypost(sys_mbox_t *mbox, void *message)
{
    return kernel_post(mbox, message) ? ERR_OK : ERR_MEM;
}

err_t sys_mbox_trypost_fromisr(sys_mbox_t *mbox, void *message)
{
    return sys_mbox_trypost(mbox, message);
}

u32_t sys_arch_mbox_fetch(sys_mbox_t *mbox, void **message, u32_t timeout)
{
    void *ignored;
    const uint32_t begun = kernel_now();
    return kernel_fetch(mbox, message != NULL ? message : &ignored, ticks_of(timeout))
               ? kernel_now() - begun
               : SYS_ARCH_TIMEOUT;
}

u32_t sys_arch_mbox_tryfetch(sys_mbox_t *mbox, void **message)
{
    void *ignored;
    return kernel_fetch(mbox, message != NULL ? message : &ignored, 0) ? 0 : SYS_MBOX_EMPTY;
}

sys_thread_t sys_thread_new(const char *name, lwip_thread_fn entry, void *argument, int stack_size,
                            int priority)
{
    return kernel_create(name, entry, argument, (uint8_t)priority, (uint32_t)stack_size);
}

/* A peer that guesses these numbers gains nothing here: the link ends in the same process. */
unsigned network_random(void)
{
    static uint32_t state;
    state = state != 0 ? state : board_given.seed | 1u;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* ---- the interface ---------------------------------------------------------------------------- */

/* A frame that came: one block. */
typedef struct frame {
    struct pbuf_custom head;
    uint8_t bytes[];
} frame_t;

static struct netif interface;

static void free_frame(struct pbuf *pbuf)
{
    free(pbuf);
}

void *network_take_block(uint32_t size)
{
    frame_t *const frame = memory_take(sizeof(frame_t) + size, HS_CAP_DMA | HS_CAP_8BIT);
    return frame != NULL ? frame->bytes : NULL;
}

void network_received(void *block, uint32_t size)
{
    frame_t *const frame = (frame_t *)(void *)((uint8_t *)block - offsetof(frame_t, bytes));
    frame->head.custom_free_function = free_frame;
    struct pbuf *const pbuf = pbuf_alloced_custom(PBUF_RAW, (u16_t)size, PBUF_REF, &frame->head,
                                                  frame->bytes, (u16_t)size);
    if (tcpip_input(pbuf, &interface) != ERR_OK) {
        pbuf_free(pbuf);
    }
}

static err_t send_frame(struct netif *netif, struct pbuf *pbuf)
{
    (void)netif;
    static uint8_t frame[NETWORK_FRAME_MAX]; /* lwIP sends with its lock held */
    if (pbuf->tot_len > sizeof frame) {
        return ERR_BUF;
    }
    network_send(frame, pbuf_copy_partial(pbuf, frame, pbuf->tot_len, 0));
    return ERR_OK;
}

static err_t open_interface(struct netif *netif)
{
    netif->name[0] = 'e';
    netif->name[1] = 'n';
    netif->mtu = 1500;
    netif->hwaddr_len = 6;
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_LINK_UP;
    netif->output = etharp_output;
    netif->linkoutput = send_frame;
    network_address(netif->hwaddr);
    return ERR_OK;
}

bool lwip_port_open(void)
{
    ip4_addr_t own, mask, gateway;
    IP4_ADDR(&own, 10, 0, 2, 15); /* QEMU's user network */
    IP4_ADDR(&mask, 255, 255, 255, 0);
    IP4_ADDR(&gateway, 10, 0, 2, 2);
    tcpip_init(NULL, NULL);
    if (!network_open()) {
        return false;
    }
    LOCK_TCPIP_CORE();
    netif_add(&interface, &own, &mask, &gateway, NULL, open_interface, tcpip_input);
    netif_set_default(&interface);
    netif_set_up(&interface);
    UNLOCK_TCPIP_CORE();
    network_receive();
    return true;
}
