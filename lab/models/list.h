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
    PLAIN("newlib-nano", hs_model_newlib_nano)                                                     \
    PLAIN("newlib-nano-4.1", hs_model_newlib_nano_4_1)                                             \
    PLAIN("newlib-nano-3.3", hs_model_newlib_nano_3_3)                                             \
    PLAIN("o1heap", hs_model_o1heap)

#define HS_MODEL_DECLARE(name, object) extern const hs_model_t object;
HS_MODEL_LIST(HS_MODEL_DECLARE, HS_MODEL_DECLARE, HS_MODEL_DECLARE)
#undef HS_MODEL_DECLARE

#endif
