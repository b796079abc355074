/* lwIP with everything from the program's heap, IPv4, and all that takes memory in many sizes. */
#ifndef HEAPSCOPE_PROGRAMS_LWIPOPTS_H
#define HEAPSCOPE_PROGRAMS_LWIPOPTS_H

#include "calls.h"

#define NO_SYS 1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN 0
#define LWIP_SOCKET 0
#define LWIP_STATS 0

#define MEM_LIBC_MALLOC 1
#define MEMP_MEM_MALLOC 1
#define MEM_ALIGNMENT 4
#define mem_clib_malloc calls_malloc
#define mem_clib_calloc calls_calloc
#define mem_clib_free calls_free

#define LWIP_IPV4 1
#define LWIP_IPV6 0
#define LWIP_ARP 0
#define LWIP_ETHERNET 0
#define LWIP_ICMP 1
#define LWIP_RAW 0
#define LWIP_NETIF_LOOPBACK 0
#define LWIP_HAVE_LOOPIF 0
#define LWIP_SINGLE_NETIF 0
#define IP_REASSEMBLY 1
#define IP_FRAG 1
#define IP_REASS_MAX_PBUFS 40

#define TCP_MSS 1440
#define TCP_WND (4 * TCP_MSS)
#define TCP_SND_BUF (4 * TCP_MSS)
#define TCP_SND_QUEUELEN 16
#define TCP_QUEUE_OOSEQ 1
#define TCP_MSL 500 /* ms, so that ended connections are soon forgotten */
#define LWIP_TCP_SACK_OUT 1
#define LWIP_TCP_KEEPALIVE 1
#define PBUF_POOL_BUFSIZE 1600 /* nothing takes one */

#define CHECKSUM_GEN_IP 0
#define CHECKSUM_GEN_UDP 0
#define CHECKSUM_GEN_TCP 0
#define CHECKSUM_CHECK_IP 0
#define CHECKSUM_CHECK_UDP 0
#define CHECKSUM_CHECK_TCP 0

#endif
