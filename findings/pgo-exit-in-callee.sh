#!/usr/bin/env bash
# clang's instrumented profile says 0 of a loop that ran 100,001 times, if a callee ends the program.
#
# Software: clang and llvm-profdata 22.1.8 (Debian 12: 1:22.1.8-1~deb12u1), x86-64, -O2 -fprofile-generate.
# Input: a valid program. A loop calls a function, and the function calls exit(0) in iteration 100,000.
# Behaviour: the promotion of counters keeps the loop's counters in registers, and stores them where the
#   loop is left. exit() in the callee never comes back there, so their counts are lost. The callee's own
#   counters are right. Nothing warns, and -fprofile-use then treats the hottest loop as code that never runs.
#   -fprofile-update=atomic, or -mllvm -do-counter-promotion=0, keeps the counts.
# Seen: main has 0, 1, 0 by default and 100001, 1, 60000 with either flag. step has 100001, 1 always.
# Who meets it: interpreters, and programs whose work ends in a handler that exits.
#
# Needs Debian 12 with its security suite, and a C library to link with. Installs nothing: packages are
# unpacked in a temporary folder. Exit status 0: as described. 1: it behaves otherwise now. 2: no packages.
set -euo pipefail
version='1:22.1.8-1~deb12u1'
packages=(clang-22 libclang-common-22-dev libclang-rt-22-dev libclang-cpp22 libllvm22 llvm-22)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq "${packages[@]/%/=$version}" >/dev/null || { echo "packages of version $version are not there (apt-get update?)" >&2; exit 2; }
for package in ./*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/usr/lib/llvm-22/lib
tools=$folder/root/usr/lib/llvm-22/bin

cat > loop.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) static unsigned step(unsigned i) {
  if (i == 100000)
    exit(0);
  return i * 7u % 5u;
}
int main(int argc, char **argv) {
  unsigned limit = 1000000u * (unsigned)argc, sum = 0;
  for (unsigned i = 0; i < limit; i++)
    sum += step(i) & 1u ? 3u : i;
  return (int)(sum & 1u);
}
C

# Prints the counters of main and of step, each on a line, after a run of a build with the flags.
counters() {
  "$tools/clang" -O2 -fprofile-generate "$@" -o loop loop.c
  LLVM_PROFILE_FILE=loop.profraw ./loop
  "$tools/llvm-profdata" merge -o loop.profdata loop.profraw
  "$tools/llvm-profdata" show --all-functions --counts loop.profdata | sed -n 's/^ *Block counts: //p'
}

status=0
# expect FLAGS WANTED: whether the counters are the ones that were seen.
expect() {
  local seen
  # shellcheck disable=SC2086 # flags are words
  seen=$(counters $1 | tr '\n' ' ')
  echo "${1:-no further flag}: $seen"
  [[ $seen == "$2" ]] || { echo "  expected: $2" >&2; status=1; }
}
expect '' '[0, 1, 0] [100001, 1] '
expect '-fprofile-update=atomic' '[100001, 1, 60000] [100001, 1] '
expect '-mllvm -do-counter-promotion=0' '[100001, 1, 60000] [100001, 1] '
exit $status
