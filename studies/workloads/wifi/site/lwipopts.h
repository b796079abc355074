/*
 * lwIP as ESP-IDF configures it (components/lwip/port/include/lwipopts.h and Kconfig, v5.5), where
 * that decides memory: everything from malloc, IPv6. Windows and segments are variables, so that one
 * program serves every configuration.
 */
#ifndef HEAPSCOPE_WIFI_LWIPOPTS_H
#define HEAPSCOPE_WIFI_LWIPOPTS_H

#include "heap.h"

#define NO_SYS 1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN 0
#define LWIP_SOCKET 0

#define MEM_LIBC_MALLOC 1
#define MEMP_MEM_MALLOC 1
#define MEM_ALIGNMENT 4
#define mem_clib_malloc hs_heap_malloc
#define mem_clib_calloc hs_heap_calloc
#define mem_clib_free hs_heap_free

#define LWIP_STATS 0
#define LWIP_IPV6 1
#define LWIP_IPV6_MLD 0
#define LWIP_IPV6_AUTOCONFIG 0
#define LWIP_IPV6_DUP_DETECT_ATTEMPTS 0
#define LWIP_ND6_NUM_DESTINATIONS 10
/* The link is of IP packets: an address is known without asking. */
#define LWIP_ARP 0
#define LWIP_ETHERNET 0
#define LWIP_ICMP 0
#define LWIP_SUPPORT_CUSTOM_PBUF 1
#define LWIP_NETIF_TX_SINGLE_PBUF 1

/* Not 0 for the preprocessor. */
#define TCP_MSS (hs_segment ? hs_segment : 1440)
#define PBUF_POOL_BUFSIZE 1600 /* nothing takes one */
#define TCP_WND hs_window
#define TCP_SND_BUF hs_send_buffer
/* lwIP's own formula; it must be 2 where the preprocessor looks at it. */
#define TCP_SND_QUEUELEN (hs_segment ? (4 * hs_send_buffer + hs_segment - 1) / hs_segment : 2)
#define TCP_QUEUE_OOSEQ 1
#define TCP_OOSEQ_PBUFS_LIMIT(pcb) hs_out_of_order
#define TCP_OVERSIZE TCP_MSS
#define LWIP_TCP_KEEPALIVE 1
#define LWIP_DISABLE_TCP_SANITY_CHECKS 1

/* The link's packets arrive whole; sums cost time and no memory. */
#define CHECKSUM_GEN_IP 0
#define CHECKSUM_GEN_UDP 0
#define CHECKSUM_GEN_TCP 0
#define CHECKSUM_CHECK_IP 0
#define CHECKSUM_CHECK_UDP 0
#define CHECKSUM_CHECK_TCP 0

extern unsigned short hs_window, hs_send_buffer, hs_segment, hs_out_of_order;

#endif
