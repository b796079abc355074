/* lwIP with tasks, its netconn interface, and every block from the firmware's heap. */
#ifndef FIRMWARE_LWIPOPTS_H
#define FIRMWARE_LWIPOPTS_H

#define NO_SYS 0
#define SYS_LIGHTWEIGHT_PROT 1
#define LWIP_NETCONN 1
#define LWIP_SOCKET 0
#define LWIP_STATS 0
#define LWIP_IPV6 0
#define LWIP_SO_RCVTIMEO 1
#define LWIP_SUPPORT_CUSTOM_PBUF 1
#define LWIP_NETIF_TX_SINGLE_PBUF 1

#define MEM_LIBC_MALLOC 1
#define MEMP_MEM_MALLOC 1
#define MEM_ALIGNMENT 4

#define TCP_MSS 1460
#define TCP_WND (4 * TCP_MSS)
#define TCP_SND_BUF (4 * TCP_MSS)
#define TCP_SND_QUEUELEN 16
#define MEMP_NUM_TCP_SEG 32

#define TCPIP_THREAD_NAME "tcpip"
#define TCPIP_THREAD_PRIO 6
#define TCPIP_THREAD_STACKSIZE 4096
#define TCPIP_MBOX_SIZE 32
#define DEFAULT_TCP_RECVMBOX_SIZE 32
#define DEFAULT_ACCEPTMBOX_SIZE 4
#define DEFAULT_THREAD_STACKSIZE 4096

#endif
