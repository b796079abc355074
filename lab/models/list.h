/*
 * The list of models. A new model is its own file and one line here, by the flavours that its name
 * has: PLAIN(name, object) none, IN_POISON "+light", "+full" and "+track", which implies light
 * poisoning, IN_FRONT all, and "+track" alone too.
 */
#ifndef HEAPSCOPE_MODELS_LIST_H
#define HEAPSCOPE_MODELS_LIST_H

#include "model.h"

#define HS_MODEL_LIST(PLAIN, IN_POISON, IN_FRONT)                                                  \
    IN_POISON("idf-3.3", hs_model_idf_3_3)                                                         \
    IN_POISON("idf-4.2", hs_model_idf_4_2)                                                         \
    IN_POISON("idf-4.3.0", hs_model_idf_4_3_0)                                                     \
    IN_POISON("idf-4.3.0-fl19", hs_model_idf_4_3_0_fl19)                                           \
    IN_POISON("idf-4.3.0-psram", hs_model_idf_4_3_0_psram)                                         \
    IN_POISON("idf-4.3.0-fl24", hs_model_idf_4_3_0_fl24)                                           \
    IN_POISON("idf-4.3.2", hs_model_idf_4_3_2)                                                     \
    IN_POISON("idf-4.3.2-fl19", hs_model_idf_4_3_2_fl19)                                           \
    IN_POISON("idf-4.3.2-psram", hs_model_idf_4_3_2_psram)                                         \
    IN_POISON("idf-4.3.2-fl24", hs_model_idf_4_3_2_fl24)                                           \
    IN_POISON("idf-4.3.2-host", hs_model_idf_4_3_2_host)                                           \
    IN_POISON("idf-4.4.0", hs_model_idf_4_4_0)                                                     \
    IN_POISON("idf-4.4.0-fl19", hs_model_idf_4_4_0_fl19)                                           \
    IN_POISON("idf-4.4.0-psram", hs_model_idf_4_4_0_psram)                                         \
    IN_POISON("idf-4.4.0-fl24", hs_model_idf_4_4_0_fl24)                                           \
    IN_POISON("idf-4.4.2", hs_model_idf_4_4_2)                                                     \
    IN_POISON("idf-4.4.2-fl19", hs_model_idf_4_4_2_fl19)                                           \
    IN_POISON("idf-4.4.2-psram", hs_model_idf_4_4_2_psram)                                         \
    IN_POISON("idf-4.4.2-fl24", hs_model_idf_4_4_2_fl24)                                           \
    IN_POISON("idf-4.4.2-fl25", hs_model_idf_4_4_2_fl25)                                           \
    IN_POISON("idf-5.1", hs_model_idf_5_1)                                                         \
    IN_FRONT("idf-5.2", hs_model_idf_5_2)                                                          \
    IN_FRONT("idf-5.3", hs_model_idf_5_3)                                                          \
    IN_FRONT("idf-5.5", hs_model_idf_5_5)                                                          \
    PLAIN("tlsf", hs_model_mattconte)                                                              \
    PLAIN("umm", hs_model_umm)                                                                     \
    PLAIN("umm:32", hs_model_umm_32)                                                               \
    PLAIN("umm-first", hs_model_umm_first)                                                         \
    PLAIN("heap_4", hs_model_heap_4)                                                               \
    PLAIN("heap_4-4", hs_model_heap_4_4)                                                           \
    PLAIN("sys_heap", hs_model_sys_heap)                                                           \
    PLAIN("sys_heap-stats", hs_model_sys_heap_stats)                                               \
    PLAIN("sys_heap-big", hs_model_sys_heap_big)                                                   \
    PLAIN("zephyr-k_malloc", hs_model_zephyr_k_malloc)                                             \
    PLAIN("zephyr-malloc", hs_model_zephyr_malloc)                                                 \
    PLAIN("zephyr-malloc-16", hs_model_zephyr_malloc_16)                                           \
    PLAIN("zephyr-malloc-stats", hs_model_zephyr_malloc_stats)                                     \
    PLAIN("newlib-nano", hs_model_newlib_nano)                                                     \
    PLAIN("newlib-nano-4.3", hs_model_newlib_nano_4_3)                                             \
    PLAIN("newlib-nano-4.1", hs_model_newlib_nano_4_1)                                             \
    PLAIN("newlib-nano-3.3", hs_model_newlib_nano_3_3)                                             \
    PLAIN("newlib", hs_model_newlib)                                                               \
    PLAIN("picolibc", hs_model_picolibc)                                                           \
    PLAIN("picolibc-16", hs_model_picolibc_16)                                                     \
    PLAIN("picolibc-1.8.11", hs_model_picolibc_1_8_11)                                             \
    PLAIN("picolibc-1.8.11-16", hs_model_picolibc_1_8_11_16)                                       \
    PLAIN("picolibc-1.8", hs_model_picolibc_1_8)                                                   \
    PLAIN("heap_5", hs_model_heap_5)                                                               \
    PLAIN("threadx", hs_model_threadx)                                                             \
    PLAIN("nuttx", hs_model_nuttx)                                                                 \
    PLAIN("nuttx-4", hs_model_nuttx_4)                                                             \
    PLAIN("rtthread-smem", hs_model_rtthread_smem)                                                 \
    PLAIN("rtthread-smem-8", hs_model_rtthread_smem_8)                                             \
    PLAIN("rtthread-memheap", hs_model_rtthread_memheap)                                           \
    PLAIN("rtthread-memheap-8", hs_model_rtthread_memheap_8)                                       \
    PLAIN("rtthread-slab", hs_model_rtthread_slab)                                                 \
    PLAIN("lwip-mem", hs_model_lwip_mem)                                                           \
    PLAIN("lwip-mem-8", hs_model_lwip_mem_8)                                                       \
    PLAIN("lwip-mem-small", hs_model_lwip_mem_small)                                               \
    PLAIN("lwip-mem-small-8", hs_model_lwip_mem_small_8)                                           \
    PLAIN("heapmem", hs_model_heapmem)                                                             \
    PLAIN("lvgl", hs_model_lvgl)                                                                   \
    PLAIN("linked_list_allocator", hs_model_linked_list)                                           \
    PLAIN("linked_list_allocator-8", hs_model_linked_list_8)                                       \
    PLAIN("rlsf", hs_model_rlsf)                                                                   \
    PLAIN("embedded-alloc-tlsf", hs_model_embedded_alloc_tlsf)                                     \
    PLAIN("esp-alloc", hs_model_esp_alloc)                                                         \
    PLAIN("esp-alloc-2", hs_model_esp_alloc_2)                                                     \
    PLAIN("esp-alloc-tlsf", hs_model_esp_alloc_tlsf)                                               \
    PLAIN("esp-alloc-malloc", hs_model_esp_alloc_malloc)                                           \
    PLAIN("esp-alloc-malloc-tlsf", hs_model_esp_alloc_malloc_tlsf)                                 \
    PLAIN("talc-5", hs_model_talc_5)                                                               \
    PLAIN("talc-4", hs_model_talc_4)                                                               \
    PLAIN("talc-4-8", hs_model_talc_4_8)                                                           \
    PLAIN("buddy_system_allocator", hs_model_buddy)                                                \
    PLAIN("buddy_system_allocator-8", hs_model_buddy_8)                                            \
    PLAIN("o1heap", hs_model_o1heap)                                                               \
    PLAIN("o1heap-3", hs_model_o1heap_3)

#define HS_MODEL_DECLARE(name, object) extern const hs_model_t object;
HS_MODEL_LIST(HS_MODEL_DECLARE, HS_MODEL_DECLARE, HS_MODEL_DECLARE)
#undef HS_MODEL_DECLARE

#endif
