#!/usr/bin/env bash
# libgcc's unwinder calls the program's own strlen, twice for each frame; LLVM's libunwind never does.
#
# Software: libgcc_s of gcc 12.2.0 (Debian 12: libgcc-s1 12.2.0-14+deb12u1) and libunwind 22.1.8 (libunwind-22-dev
#   1:22.1.8-1~deb12u1), programs by clang 22.1.8, x86-64, glibc 2.36.
# Input: a valid C program built with -fno-builtin. It has a strlen of its own, as freestanding code has, and walks its
#   stack with _Unwind_Backtrace.
# Behaviour: libgcc reads the augmentation string of a frame's table by strlen, through the dynamic symbol. So the
#   program's function runs, once where the frame is found and once where its table is read. Exceptions, cancellation
#   of threads and backtrace() take the same way. Linked with libunwind the function never runs.
# Seen: 12, 32 and 52 calls for 6, 16 and 26 frames with libgcc_s; 0 calls with libunwind.
# Who meets it: tracers and counters that instrument a program's own string functions. What they do in strlen must
#   not walk the stack, and what they count depends on how deep the stack was.
#
# Needs Debian 12 with its security suite, and a C library to link with. Installs nothing: packages are unpacked in a
# temporary folder. Exit status 0: as described. 1: it behaves otherwise now. 2: no packages.
set -euo pipefail
llvm='1:22.1.8-1~deb12u1' gcc='12.2.0-14+deb12u1'
packages=({clang-22,libclang-common-22-dev,libclang-cpp22,libllvm22,libunwind-22-dev}="$llvm" libgcc-s1="$gcc")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq "${packages[@]}" >/dev/null || { echo "packages of these versions are not there (apt-get update?)" >&2; exit 2; }
for package in ./*.deb; do dpkg -x "$package" root; done
clang=$(find "$folder/root" -path '*llvm-22/bin/clang')
own=$(find "$folder/root" -name libgcc_s.so.1 -printf '%h\n')
LD_LIBRARY_PATH=$(find "$folder/root" \( -name 'libLLVM*.so*' -o -name 'libclang-cpp*.so*' \) -printf '%h\n' | sort -u | paste -sd:)
export LD_LIBRARY_PATH
libunwind=$(find "$folder/root" -name libunwind.a -path '*llvm-22*' -print -quit)

cat > walk.c <<'C'
#include <stddef.h>
#include <stdio.h>
#include <unwind.h>
static int calls, frames;
size_t strlen(const char *text) {
  size_t length = 0;
  while (text[length]) length++;
  calls++;
  return length;
}
static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data) {
  (void)context, (void)data;
  frames++;
  return _URC_NO_REASON;
}
__attribute__((noinline)) static int deeper(int depth) {
  if (depth > 0) return deeper(depth - 1) + 0 * frames;
  calls = 0;
  _Unwind_Backtrace(visit, NULL);
  return calls;
}
int main(void) {
  for (int depth = 0; depth <= 20; depth += 10) {
    frames = 0;
    int inner = deeper(depth);
    printf("%d/%d ", inner, frames);
  }
  return 0;
}
C

status=0
# expect NAME WANTED LINK...: calls and frames of a program that is linked so.
expect() {
  local name=$1 wanted=$2 seen
  shift 2
  "$clang" -O0 -fno-builtin walk.c -o walk "$@"
  seen=$(LD_LIBRARY_PATH=$own ./walk)
  echo "$name, calls/frames: $seen"
  [[ $seen =~ $wanted ]] || { echo "  expected: $wanted" >&2; status=1; }
}
expect libgcc_s '^12/6 32/16 52/26 $' -lgcc_s
expect libunwind '^0/[0-9]+ 0/[0-9]+ 0/[0-9]+ $' "$libunwind" -ldl -lpthread
exit $status
