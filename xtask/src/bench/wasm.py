"""Compiles a WASI module ahead of time, or runs one, with fuel or without."""

import sys

import wasmtime


def engine_of(fuel):
    config = wasmtime.Config()
    config.consume_fuel = fuel == "fuel"
    return wasmtime.Engine(config)


def prepare(fuel, module, compiled):
    with open(compiled, "wb") as out:
        out.write(wasmtime.Module.from_file(engine_of(fuel), module).serialize())


def run(fuel, compiled, *arguments):
    engine = engine_of(fuel)
    store = wasmtime.Store(engine)
    if fuel == "fuel":
        store.set_fuel(1 << 62)
    wasi = wasmtime.WasiConfig()
    wasi.argv = [compiled, *arguments]
    wasi.inherit_stdout()
    store.set_wasi(wasi)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    module = wasmtime.Module.deserialize_file(engine, compiled)
    try:
        linker.instantiate(store, module).exports(store)["_start"](store)
    except wasmtime.ExitTrap as end:
        sys.exit(end.code)


{"prepare": prepare, "run": run}[sys.argv[1]](*sys.argv[2:])
