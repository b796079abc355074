#include "pjlib.h"

static const hs_source_t *source_of(pj_pool_factory *factory)
{
    return &((hs_pjlib_t *)factory)->source;
}

static void *block_alloc(pj_pool_factory *factory, pj_size_t size)
{
    if (factory->on_block_alloc != NULL && !factory->on_block_alloc(factory, size)) {
        return NULL; /* over the factory's capacity */
    }
    const hs_source_t *const source = source_of(factory);
    void *const block = source->allocate(source->context, size);
    if (block == NULL && factory->on_block_free != NULL) {
        factory->on_block_free(factory, size);
    }
    return block;
}

static void block_free(pj_pool_factory *factory, void *block, pj_size_t size)
{
    const hs_source_t *const source = source_of(factory);
    if (factory->on_block_free != NULL) {
        factory->on_block_free(factory, size);
    }
    source->release(source->context, block, size);
}

void hs_pjlib_init(hs_pjlib_t *pjlib, hs_source_t source, pj_size_t kept)
{
    const pj_pool_factory_policy *const usual = pj_pool_factory_get_default_policy();
    const pj_pool_factory_policy policy = {block_alloc, block_free, usual->callback, 0};
    pjlib->source = source;
    pj_caching_pool_init(&pjlib->caching, &policy, kept);
}

pj_pool_factory *hs_pjlib_factory(hs_pjlib_t *pjlib)
{
    return &pjlib->caching.factory;
}

void hs_pjlib_destroy(hs_pjlib_t *pjlib)
{
    pj_caching_pool_destroy(&pjlib->caching);
}
