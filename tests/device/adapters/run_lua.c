/* Lua on a private heap: the same results as on malloc; out of memory is an error that pcall()
 * catches, and the state goes on. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "adapters/lua.h"
#include "heap_under_test.h"

static const char script[] =
    "local t, sum = {}, 0\n"
    "for i = 1, 3000 do t[i] = ('%x'):rep(i % 7 + 1, ','):format(i, i, i, i, i, i, i) end\n"
    "for round = 1, 5 do\n"
    "  for i = 1, #t, round do t[i] = t[i]:reverse() .. #t end\n"
    "  table.sort(t)\n"
    "  local joined = table.concat(t)\n"
    "  for i = 1, #joined, 17 do sum = (sum * 31 + joined:byte(i)) % 1000003 end\n"
    "end\n"
    "return #t .. ' ' .. sum";

static const char greedy[] = "local all = {}\n"
                             "local ok, why = pcall(function() while true do all[#all + 1] = "
                             "('x'):rep(300) .. #all end end)\n"
                             "all = nil collectgarbage() return why";

static void evaluate(lua_State *lua, const char *text, char *result, size_t size)
{
    CHECK(luaL_dostring(lua, text) == LUA_OK, "%s", lua_tostring(lua, -1));
    snprintf(result, size, "%s", lua_tostring(lua, -1));
    lua_settop(lua, 0);
}

static int open_libraries(lua_State *lua)
{
    luaL_openlibs(lua);
    return 0;
}

static void check_same_as_malloc(void)
{
    char expected[64];
    char result[64];
    lua_State *plain = luaL_newstate();
    luaL_openlibs(plain);
    evaluate(plain, script, expected, sizeof expected);
    lua_close(plain);

    heap_under_test_t test;
    heap_open(&test, "lua", 1u << 20);
    lua_State *lua = lua_newstate(hs_lua_alloc, test.heap);
    CHECK(lua != NULL, "no state");
    luaL_openlibs(lua);
    for (int i = 0; i < 3; i++) {
        evaluate(lua, script, result, sizeof result);
        CHECK(strcmp(result, expected) == 0, "%s, not %s", result, expected);
    }
    hs_private_info_t info = heap_figures(&test);
    size_t counted = (size_t)lua_gc(lua, LUA_GCCOUNT) * 1024;
    CHECK(info.used >= counted && info.peak > 150000, "%zu used, %zu by Lua's count", info.used,
          counted);
    heap_print(&test);
    lua_close(lua);
    CHECK(heap_figures(&test).failures == 0, "failures");
    heap_close(&test);
}

static void check_full(void)
{
    heap_under_test_t test;
    char result[64];
    heap_open(&test, "small", 100000);
    lua_State *lua = lua_newstate(hs_lua_alloc, test.heap);
    CHECK(lua != NULL, "no state");
    luaL_openlibs(lua);
    for (int i = 0; i < 3; i++) {
        evaluate(lua, greedy, result, sizeof result);
        CHECK(strstr(result, "not enough memory") != NULL, "%s", result);
        CHECK(test.reported > 0, "told of no failure");
    }
    heap_print(&test);
    lua_close(lua);
    heap_close(&test);
}

/* At each size of a heap a state with its libraries is made, or refused with nothing left behind. */
static void check_too_small(void)
{
    unsigned refused = 0;
    for (size_t size = 1000; size < 40000; size += 97) {
        heap_under_test_t test;
        heap_open(&test, "tiny", size);
        lua_State *lua = lua_newstate(hs_lua_alloc, test.heap);
        if (lua != NULL) {
            lua_pushcfunction(lua, open_libraries); /* fits: a light C function */
            int status = lua_pcall(lua, 0, 0, 0);
            CHECK(status == LUA_OK || status == LUA_ERRMEM, "status %d", status);
            refused += status == LUA_ERRMEM ? 1u : 0u;
            lua_close(lua);
        }
        heap_close(&test);
    }
    CHECK(refused > 50, "%u states were refused", refused);
}

int main(void)
{
    check_same_as_malloc();
    check_full();
    check_too_small();
    return 0;
}
