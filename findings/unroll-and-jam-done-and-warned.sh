#!/usr/bin/env bash
# A loop that was unrolled and jammed is reported as one that was not.
#
# Software: clang and opt 22.1.8 (Debian 12: 1:22.1.8-1~deb12u1).
# Input: valid C. A loop around a sum of products has `#pragma unroll_and_jam(4)`.
# Behaviour: clang's pipeline at -O2 and -O3 has no pass for this pragma, so nothing is done, and it warns
#   (-Wpass-failed). With `-mllvm -enable-unroll-and-jam` the loop is unrolled and jammed, as the remark says and the
#   code shows. The transformed loop still has the metadata llvm.loop.unroll_and_jam.count, though. A later pass takes
#   it for a request that nobody followed, and warns in the same words: with -Werror the build fails.
# Seen: one product without the option and four with it; a warning in both; the metadata in the result of the pass
#   alone.
# Who meets it: users of the pragma, and tools that choose loops by this metadata. They have to take it away again.
#
# Needs Debian 12 with its security suite. Installs nothing: packages are unpacked in a temporary folder.
# Exit status 0: as described. 1: it behaves otherwise now. 2: no packages.
set -euo pipefail
version='1:22.1.8-1~deb12u1'
packages=(libllvm22 llvm-22 clang-22 libclang-cpp22 libclang-common-22-dev)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq "${packages[@]/%/=$version}" >/dev/null || { echo "packages of version $version are not there (apt-get update?)" >&2; exit 2; }
for package in ./*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/usr/lib/llvm-22/lib
bin=$folder/root/usr/lib/llvm-22/bin

cat > sums.c <<'C'
void sums(double *restrict to, double (*restrict left)[200], double (*restrict right)[200]) {
#pragma unroll_and_jam(4)
  for (long j = 0; j < 200; j++) {
    double sum = 0;
    for (long k = 0; k < 200; k++) sum += left[0][k] * right[k][j];
    to[j] = sum;
  }
}
C

status=0
# expect WANTED SEEN WHAT
expect() {
  echo "$3: $2"
  [[ $1 == "$2" ]] || { echo "  expected: $1" >&2; status=1; }
}
# compile NAME FLAGS: scalar code, so that products can be counted.
compile() {
  "$bin/clang" -O2 -fno-slp-vectorize -ffp-contract=off -Rpass=loop-unroll-and-jam "${@:2}" -S -emit-llvm sums.c -o "$1.ll" 2>"$1.words"
}
compile plain
compile enabled -mllvm -enable-unroll-and-jam
expect 0 "$(grep -c 'remark: unroll and jammed' plain.words)" "as clang comes, loops that were jammed"
expect 1 "$(grep -c 'remark: unroll and jammed loop by a factor of 4' enabled.words)" "with the option"
expect 1 "$(grep -c 'warning: loop not unroll-and-jammed' plain.words)" "as clang comes, warnings that it was not"
expect 1 "$(grep -c 'warning: loop not unroll-and-jammed' enabled.words)" "with the option, warnings that it was not"
products() { grep -c ' fmul double' "$1.ll"; }
echo "products: $(products plain) and $(products enabled)"
(($(products enabled) >= 4 * $(products plain))) || { echo "  expected: four times as many" >&2; status=1; }
"$bin/clang" -O2 -Xclang -disable-llvm-passes -ffp-contract=off -S -emit-llvm sums.c -o source.ll
"$bin/opt" -passes='function(sroa,simplifycfg,loop-simplify,loop-rotate,instcombine,loop(loop-unroll-and-jam))' -pass-remarks=loop-unroll-and-jam source.ll -S -o alone.ll 2>alone.words
expect 1 "$(grep -c 'unroll and jammed' alone.words)" "the pass alone, loops that were jammed"
expect 1 "$(grep -c 'llvm.loop.unroll_and_jam.count' alone.ll)" "requests left in its result"
exit $status
