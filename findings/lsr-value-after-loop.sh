#!/usr/bin/env bash
# A value that is read after a loop costs the loop an instruction in each iteration.
#
# Software: llc 22.1.8 (Debian 12: 1:22.1.8-1~deb12u1), -O2, x86-64.
# Input: a valid module. A loop of 1,024 iterations copies numbers of 16 bits; its counter starts at 1. In one
#   variant nothing is read after the loop. In the other one a sum grows there by the counter less 2.
# Behaviour: loop strength reduction rewrites the counter as an offset in bytes. For what is read after the
#   loop it keeps a second counter and steps that in each iteration, though the offset, or the constant
#   1,023, would say the same after the loop.
# Seen: the loop has 4 instructions without and 5 with the value after it. With -disable-lsr both have 5.
# Who meets it: tools that read a loop's own counter after it instead of counting, to save the increment. Reading
#   the bound that the counter met costs nothing in the loop.
#
# Needs Debian 12 with its security suite. Installs nothing: packages are unpacked in a temporary folder.
# Exit status 0: as described. 1: it behaves otherwise now. 2: no packages.
set -euo pipefail
version='1:22.1.8-1~deb12u1'
packages=(libllvm22 llvm-22)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq "${packages[@]/%/=$version}" >/dev/null || { echo "packages of version $version are not there (apt-get update?)" >&2; exit 2; }
for package in ./*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/usr/lib/llvm-22/lib
llc=$folder/root/usr/lib/llvm-22/bin/llc

# module AFTER: the loop, with these instructions after it.
module() {
  cat <<L
target triple = "x86_64-unknown-linux-gnu"
define void @copy(ptr %to, ptr %from, ptr %total) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %before = add nsw i64 %i, -1
  %source = getelementptr inbounds i16, ptr %from, i64 %before
  %value = load i16, ptr %source
  %target = getelementptr inbounds i16, ptr %to, i64 %before
  store i16 %value, ptr %target
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 1025
  br i1 %done, label %exit, label %loop
exit:
$1
  ret void
}
L
}
module '' > nothing.ll
module '  %old = load i64, ptr %total
  %steps = add i64 %next, -2
  %new = add i64 %old, %steps
  store i64 %new, ptr %total' > value.ll

# Instructions between the loop's label and its jump back.
in_loop() {
  "$llc" -O2 "${@:2}" "$1.ll" -o - | awk '/^\.LBB0_1:/ { inside = 1 } inside && /^\t[a-z]/ { count++ } inside && /\tj/ { print count; exit }'
}

status=0
# expect WANTED MODULE FLAGS: whether the loop has as many instructions as were seen.
expect() {
  local seen
  seen=$(in_loop "${@:2}")
  echo "${*:2}: $seen instructions in the loop"
  [[ $seen == "$1" ]] || { echo "  expected: $1" >&2; status=1; }
}
expect 4 nothing
expect 5 value
expect 5 nothing -disable-lsr
expect 5 value -disable-lsr
exit $status
