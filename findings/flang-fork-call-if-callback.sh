#!/usr/bin/env bash
# What flang says of the callback of a conditional parallel region names too few parameters.
#
# Software: flang 22.1.8 (Debian 12: 1:22.1.8-1~deb12u1), -O1 -fopenmp, x86-64.
# Input: two valid Fortran programs with a parallel loop that writes an array. One has the clause IF.
# Behaviour: without IF the region is begun by __kmpc_fork_call, which is variadic, and with IF by
#   __kmpc_fork_call_if, which has five fixed parameters. Both declarations have the same !callback metadata: two
#   unknown arguments, and then all variadic ones. A function that is not variadic has none. So by the
#   metadata the outlined function gets two arguments; it has three, and the third one is the fifth of the call.
# Seen: !callback !{i64 2, i64 -1, i64 -1, i1 true} on both. clang has no __kmpc_fork_call_if for IF: it branches
#   to __kmpc_fork_call or to a serialized region.
# Who meets it: readers of !callback who follow values into parallel regions, and tools that know starts of
#   threads by name, since __kmpc_fork_call is not the only one.
#
# Needs Debian 12 with its security suite. Installs nothing: packages are unpacked in a temporary folder.
# Exit status 0: as described. 1: it behaves otherwise now. 2: no packages.
set -euo pipefail
version='1:22.1.8-1~deb12u1'
packages=(libllvm22 libmlir-22 libclang-cpp22 flang-22 libflang-22-dev)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq "${packages[@]/%/=$version}" >/dev/null || { echo "packages of version $version are not there (apt-get update?)" >&2; exit 2; }
for package in ./*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/usr/lib/llvm-22/lib
flang=$folder/root/usr/lib/llvm-22/bin/flang-22

# program CLAUSE: the region has this clause.
program() {
  cat <<F
program p
  integer :: i, n
  real :: a(1000)
  n = 1000
  !\$omp parallel do $1
  do i = 1, n
    a(i) = sqrt(real(i))
  end do
  !\$omp end parallel do
  print *, a(10)
end program
F
}
program '' > always.f90
program 'if(n > 10)' > sometimes.f90
for one in always sometimes; do "$flang" -O1 -fopenmp -S -emit-llvm "$one.f90" -o "$one.ll"; done

status=0
# expect MODULE WORDS: whether a line of the module has these words.
expect() {
  if grep -qE -- "$2" "$1.ll"; then echo "$1: $2"; else echo "$1: expected $2" >&2; status=1; fi
}
# callback MODULE FUNCTION: what the metadata of a declaration says of its callback.
callback() {
  local list entry
  list=$(sed -nE "s/^declare .*!callback (![0-9]+) void @$2\\(.*/\\1/p" "$1.ll")
  entry=$(sed -nE "s/^$list = !\\{(![0-9]+)\\}/\\1/p" "$1.ll")
  sed -nE "s/^$entry = (.*)/\\1/p" "$1.ll"
}
expect always 'declare .*@__kmpc_fork_call\(ptr, i32, ptr, \.\.\.\)'
expect sometimes 'declare .*@__kmpc_fork_call_if\(ptr, i32, ptr, i32, ptr\)'
expect sometimes 'define internal void @[^ (]*omp_par\(ptr [^,]*, ptr [^,]*, ptr [^,]*\)'
for pair in 'always __kmpc_fork_call' 'sometimes __kmpc_fork_call_if'; do
  seen=$(callback $pair)
  echo "$pair: $seen"
  [[ $seen == '!{i64 2, i64 -1, i64 -1, i1 true}' ]] || { echo "  expected: two unknown arguments and the variadic ones" >&2; status=1; }
done
exit $status
