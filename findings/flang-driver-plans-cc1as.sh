#!/usr/bin/env bash
# flang's driver plans an integrated assembler that its program does not have.
#
# Software: flang 22.1.8 (Debian 12: 1:22.1.8-1~deb12u1), x86-64.
# Input: a valid file of assembly, and a valid Fortran program.
# Behaviour: for a file .s, and for any source with -save-temps, the driver plans a job `flang-22 -cc1as`, as clang's
#   does. The program knows the job -fc1 alone and says so: unknown integrated tool '-cc1as'. The exit status is 1.
#   With -fno-integrated-as the system's assembler is started, and both work.
# Seen: `flang-22 -c t.s` and `flang-22 -save-temps p.f90` fail with those words; both work with -fno-integrated-as.
# Who meets it: builds that give assembly next to Fortran to one compiler, and tools that keep what is in between.
#   opcost assembles by clang.
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

printf '.globl f\nf: ret\n.section .note.GNU-stack,"",@progbits\n' > t.s
printf 'program p\n  print *, 1\nend program\n' > p.f90
status=0
# expect STATUS WORDS COMMAND…: how it ends, and what it says.
expect() {
  local wanted=$1 words=$2 ended=0
  shift 2
  "$@" > said 2>&1 || ended=$?
  if [[ $ended == "$wanted" && ( -z $words || $(<said) == *"$words"* ) ]]; then
    echo "status $ended: ${*/#$flang/flang-22}"
  else
    echo "expected status $wanted and '$words' of ${*/#$flang/flang-22}; it was $ended" >&2
    cat said >&2
    status=1
  fi
}
expect 1 "unknown integrated tool '-cc1as'" "$flang" -c t.s -o t.o
expect 1 "unknown integrated tool '-cc1as'" "$flang" -c -save-temps p.f90 -o p.o
expect 0 '' "$flang" -fno-integrated-as -c t.s -o t.o
expect 0 '' "$flang" -fno-integrated-as -c -save-temps p.f90 -o p.o
exit $status
