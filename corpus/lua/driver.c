/* Runs one Lua script with its arguments: the crate carries the library of
 * Lua but not its stand-alone interpreter.
 *
 *     lua SCRIPT [ARGUMENT…]
 *
 * Lua takes the seed of its string hash from the clock and from addresses
 * unless the library is built with its own luai_makeseed; corpus/programs.toml
 * says which build this is.
 */
#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"
#include <stdio.h>

int main(int argc, char **argv) {
    if (argc < 2) return fprintf(stderr, "usage: lua SCRIPT [ARGUMENT...]\n"), 2;
    lua_State *lua = luaL_newstate();
    if (!lua) return fprintf(stderr, "lua: out of memory\n"), 1;
    luaL_openlibs(lua);
    lua_newtable(lua);
    for (int n = 1; n < argc; n++) {
        lua_pushstring(lua, argv[n]);
        lua_rawseti(lua, -2, n - 1);
    }
    lua_setglobal(lua, "arg");
    int failed = luaL_dofile(lua, argv[1]);
    if (failed) fprintf(stderr, "lua: %s\n", lua_tostring(lua, -1));
    lua_close(lua);
    return failed ? 1 : 0;
}
