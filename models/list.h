/*
 * The list of models. A new model is its own file and one line here: PLAIN(name, object) for one
 * without poisoning, POISONABLE(name, object) for one whose "+light" flavour exists too.
 */
#ifndef HEAPSCOPE_MODELS_LIST_H
#define HEAPSCOPE_MODELS_LIST_H

#include "model.h"

#define HS_MODEL_LIST(PLAIN, POISONABLE)                                                           \
    POISONABLE("idf-4.2", hs_model_idf_4_2)                                                        \
    POISONABLE("idf-5.5", hs_model_idf_5_5)

#define HS_MODEL_DECLARE(name, object) extern const hs_model_t object;
HS_MODEL_LIST(HS_MODEL_DECLARE, HS_MODEL_DECLARE)
#undef HS_MODEL_DECLARE

#endif
