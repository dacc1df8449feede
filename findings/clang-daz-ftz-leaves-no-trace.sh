#!/usr/bin/env bash
# clang's -mdaz-ftz makes subnormal numbers zero when the program runs, and nothing in LLVM IR says so.
#
# Software: clang 22.1.8 (Debian 12: 1:22.1.8-1~deb12u1) with gcc's crtfastmath.o (libgcc-12-dev), x86-64.
# Input: a valid C program. One loop divides 1e-300 by 1024 while it is above zero; another number is 1e-310.
# Behaviour: the flag only adds a start file to the link. Where it compiles alone, clang warns that it is unused. The
#   module has no attribute denormal-fp-math, so the optimiser folds with subnormal numbers that the program then
#   does not have. -ffast-math links the same file, and gives its operations flags, but no such attribute either.
# Seen: with -mdaz-ftz the loop iterates 3 times at -O0 and 8 times at -O1, and 1e-310 == 0 holds at -O0 alone. With
#   -ffast-math the loop iterates 3 times at both levels, and 1e-310 == 0 holds at -O0 alone.
# Who meets it: tools that read IR and predict or compare floating point numbers, and who compares -O0 with -O1.
#
# Needs Debian 12 with its security suite, a linker and gcc's start files. Installs nothing: packages are unpacked in a
# temporary folder. Exit status 0: as described. 1: it behaves otherwise now. 2: no packages.
set -euo pipefail
version='1:22.1.8-1~deb12u1'
packages=(libllvm22 libclang-cpp22 clang-22 libclang-common-22-dev)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq "${packages[@]/%/=$version}" >/dev/null || { echo "packages of version $version are not there (apt-get update?)" >&2; exit 2; }
for package in ./*.deb; do dpkg -x "$package" root; done
clang=$(find "$folder/root" -path '*llvm-22/bin/clang')
LD_LIBRARY_PATH=$(find "$folder/root" -name 'libLLVM*.so*' -o -name 'libclang-cpp*.so*' | xargs -n 1 dirname | sort -u | paste -sd:)
export LD_LIBRARY_PATH
cat > small.c <<'C'
#include <stdio.h>
int main(void) {
  double small = 1e-310;
  int steps = 0;
  for (double x = 1e-300; x > 0; x /= 1024) steps++;
  printf("%d %d\n", small == 0, steps);
  return 0;
}
C

status=0
# expect FLAGS OUTPUT: what the program prints that is built with these flags.
expect() {
  local printed
  # shellcheck disable=SC2086
  "$clang" $1 small.c -o small
  printed=$(./small)
  echo "$1: $printed"
  [[ $printed == "$2" ]] || { echo "  expected: $2" >&2; status=1; }
}
expect '-O0' '0 8'
expect '-O1' '0 8'
expect '-O0 -mdaz-ftz' '1 3'
expect '-O1 -mdaz-ftz' '0 8'
expect '-O0 -ffast-math' '1 3'
expect '-O1 -ffast-math' '0 3'
for flag in -mdaz-ftz -ffast-math; do
  if "$clang" -O0 $flag -S -emit-llvm small.c -o small.ll 2> words && grep -q denormal-fp-math small.ll; then
    echo "$flag: the module has denormal-fp-math now" >&2
    status=1
  fi
  grep -o 'unused during compilation' words || true
done
exit $status
