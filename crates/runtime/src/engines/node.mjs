// Runs a metered program in Node: node.mjs PROGRAM ARGUMENTS…
//
// The file that OPCOST_FUEL names has the limit; the page in the program's
// memory goes there after its end, whatever the end was (fuel_wasi.c).
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { WASI } from "node:wasi";

// Offsets and values of the page.
const LEFT = 0, MAGIC = 8, LIMIT = 16, STATE = 24, LINE = 28, SIZE = 48 + 1024 + 2048;
const STACK = 2, CRASHED = 5, TRAP = 0x57410000;
// A frame in memory that is larger than this is not told from a full stack.
const STACK_END = 65536;

const [program, ...rest] = process.argv.slice(2);
const { OPCOST_FUEL: file, ...env } = process.env;
const wasi = new WASI({ version: "preview1", args: [program, ...rest], env, preopens: { ".": "." }, returnOnExit: true });
const module = new WebAssembly.Module(readFileSync(program));
const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.wasiImport });
const { memory, opc_fuel: at, __stack_pointer: top } = instance.exports;
const page = () => new DataView(memory.buffer, at.value, SIZE);
const limit = readFileSync(file).readBigInt64LE(LIMIT);
page().setBigInt64(LEFT, limit, true);
page().setBigInt64(LIMIT, limit, true);
new Uint8Array(memory.buffer, at.value + MAGIC, 8).set(new TextEncoder().encode("OPCFUEL1"));

const highest = top.value >>> 0;
const REASONS = [/unreachable/, /memory access out of bounds/, /by zero/, /unrepresentable/, /table|signature|null function/];

function crashed(error) {
  const pointer = top.value >>> 0;
  const left = pointer > highest || pointer < STACK_END;
  if (error instanceof RangeError || (REASONS[1].test(error.message) && left)) return [STACK, 0];
  if (!(error instanceof WebAssembly.RuntimeError)) throw error;
  return [CRASHED, TRAP + 1 + REASONS.findIndex((reason) => reason.test(error.message))];
}

let status = 4;
try {
  status = wasi.start(instance) & 0xff;
} catch (error) {
  const [state, why] = crashed(error);
  page().setUint32(STATE, state, true);
  page().setUint32(LINE, why, true);
}
const out = openSync(file, "r+");
writeSync(out, new Uint8Array(memory.buffer, at.value, SIZE), 0, SIZE, 0);
closeSync(out);
process.exitCode = status;
