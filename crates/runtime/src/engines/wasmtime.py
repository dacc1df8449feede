"""Runs a metered program in wasmtime: wasmtime.py PROGRAM ARGUMENTS…

The file that OPCOST_FUEL names has the limit; the page in the program's memory
goes there after its end, whatever the end was (fuel_wasi.c).
"""

import os
import struct
import sys

# Not this very file, whose folder comes first.
sys.path.pop(0)
import wasmtime

# Offsets and values of the page.
LEFT, MAGIC, LIMIT, STATE, LINE, SIZE = 0, 8, 16, 24, 28, 48 + 1024 + 2048
STACK, CRASHED, TRAP = 2, 5, 0x57410000
# A frame in memory that is larger than this is not told from a full stack.
STACK_END = 65536
# In the order of the reasons that the tool knows.
REASONS = [
    ["UNREACHABLE"],
    ["MEMORY_OUT_OF_BOUNDS"],
    ["INTEGER_DIVISION_BY_ZERO"],
    ["INTEGER_OVERFLOW", "BAD_CONVERSION_TO_INTEGER"],
    ["TABLE_OUT_OF_BOUNDS", "INDIRECT_CALL_TO_NULL", "BAD_SIGNATURE"],
]

path = os.environ.pop("OPCOST_FUEL")
program, *rest = sys.argv[1:]
config = wasmtime.Config()
# As much as it allows; the system's stack has more.
config.max_wasm_stack = 2 << 20
engine = wasmtime.Engine(config)
store = wasmtime.Store(engine)
wasi = wasmtime.WasiConfig()
wasi.argv = [program, *rest]
wasi.env = list(os.environ.items())
wasi.inherit_stdin()
wasi.inherit_stdout()
wasi.inherit_stderr()
wasi.preopen_dir(".", ".")
store.set_wasi(wasi)
linker = wasmtime.Linker(engine)
linker.define_wasi()


class Exit(Exception):
    pass


def leave(status):
    raise Exit(status)


# Its own takes no status from 126 on.
linker.allow_shadowing = True
end_type = wasmtime.FuncType([wasmtime.ValType.i32()], [])
linker.define_func("wasi_snapshot_preview1", "proc_exit", end_type, leave)
exports = linker.instantiate(store, wasmtime.Module.from_file(engine, program)).exports(store)
memory, at, top = exports["memory"], exports["opc_fuel"].value(store), exports["__stack_pointer"]
with open(path, "rb") as file:
    limit = file.read()[LIMIT : LIMIT + 8]
for offset, data in ((LEFT, limit), (LIMIT, limit), (MAGIC, b"OPCFUEL1")):
    memory.write(store, data, at + offset)

highest = top.value(store) & 0xFFFFFFFF


def crashed(trap):
    name = trap.trap_code.name if trap.trap_code is not None else ""
    pointer = top.value(store) & 0xFFFFFFFF
    left = pointer > highest or pointer < STACK_END
    if name == "STACK_OVERFLOW" or (name == "MEMORY_OUT_OF_BOUNDS" and left):
        return STACK, 0
    reasons = [number for number, names in enumerate(REASONS, 1) if name in names]
    return CRASHED, TRAP + (reasons[0] if reasons else 0)


status = 0
try:
    exports["_start"](store)
except Exit as end:
    status = end.args[0] & 0xFF
except wasmtime.Trap as trap:
    status = 4
    memory.write(store, struct.pack("<II", *crashed(trap)), at + STATE)
with open(path, "r+b") as file:
    file.write(memory.read(store, at, at + SIZE))
sys.exit(status)
