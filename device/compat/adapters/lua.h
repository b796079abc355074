/*
 * Lua on a private heap: a lua_Alloc, the heap as its `ud`.
 *
 *     lua_State *lua = lua_newstate(hs_lua_alloc, script_heap);
 *
 * Needs no header of Lua's. 5.1 to 5.4.
 */
#ifndef HEAPSCOPE_ADAPTERS_LUA_H
#define HEAPSCOPE_ADAPTERS_LUA_H

#include "heapscope/private.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `ud`: an hs_private_t. NULL makes Lua collect garbage and try once more (5.2 and later). To make a
 * block smaller never fails, as Lua demands. */
void *hs_lua_alloc(void *ud, void *block, size_t old_size, size_t new_size);

#ifdef __cplusplus
}
#endif

#endif
