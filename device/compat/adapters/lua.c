#include "lua.h"

void *hs_lua_alloc(void *ud, void *block, size_t old_size, size_t new_size)
{
    (void)old_size; /* for a new block the type of the object */
    return hs_private_realloc(ud, block, new_size);
}
