/* Lua: load.lua in a state, which is closed and made again after some rounds. */
#include <stdio.h>

#include "calls.h"
#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"
#include "work.h"

#define ROUNDS 64u /* of a state */

static lua_State *state;
static const char *path;

static void *allocate(void *context, void *block, size_t had, size_t size)
{
    (void)context;
    (void)had;
    return calls_realloc(block, size);
}

static int prepare(lua_State *lua)
{
    luaL_openlibs(lua);
    if (luaL_loadfile(lua, path) != LUA_OK) {
        return lua_error(lua);
    }
    lua_call(lua, 0, 0);
    return 0;
}

static const char *told(void)
{
    const char *const text = lua_tostring(state, -1);
    const char *const message = work_message(text != NULL ? text : "an error without a text");
    lua_settop(state, 0);
    return message;
}

static const char *open_state(void)
{
    state = lua_newstate(allocate, NULL);
    if (state == NULL) {
        return "no state";
    }
    lua_pushcfunction(state, prepare);
    return lua_pcall(state, 0, 0, 0) == LUA_OK ? NULL : told();
}

void work_end(void)
{
    if (state != NULL) {
        lua_close(state);
        state = NULL;
    }
}

const char *work_start(const char *script)
{
    path = script;
    return NULL;
}

static int call_round(lua_State *lua)
{
    lua_getglobal(lua, "round");
    lua_insert(lua, 1);
    lua_call(lua, 1, 1);
    return 1;
}

const char *work_round(uint32_t round)
{
    if (state == NULL || round % ROUNDS == 0) {
        work_end();
        const char *const failure = open_state();
        if (failure != NULL) {
            work_end();
            return failure;
        }
    }
    lua_pushcfunction(state, call_round);
    lua_pushinteger(state, round);
    if (lua_pcall(state, 1, 1, 0) != LUA_OK) {
        return told();
    }
    const lua_Integer sum = lua_tointeger(state, -1);
    lua_settop(state, 0);
    work_note(&sum, sizeof sum);
    return NULL;
}
