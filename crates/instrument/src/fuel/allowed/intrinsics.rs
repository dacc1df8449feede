//! Which intrinsics compute only?
//!
//! Families that become a few instructions, or a call of a C library function
//! of the same name. Left out: clocks and counters of the machine, registers by name,
//! return addresses and frames, trampolines, coroutines, what profiling and
//! garbage collectors put in.

/// Intrinsics by the words after `llvm.`; a family goes on with a dot or ends.
const FAMILIES: &str = "\
    memcpy memmove memset memcpy.inline memset.inline lifetime dbg assume expect expect.with.probability \
    experimental.noalias.scope.decl invariant.start invariant.end launder.invariant.group \
    strip.invariant.group sideeffect donothing pseudoprobe annotation var.annotation ptr.annotation \
    objectsize is.constant allow.runtime.check allow.ubsan.check fake.use threadlocal.address prefetch \
    ptrmask load.relative type.test public.type.test type.checked.load arithmetic.fence is.fpclass \
    stacksave stackrestore va_start va_end va_copy trap ubsantrap eh.typeid.for get.dynamic.area.offset \
    abs smax smin umax umin scmp ucmp bswap bitreverse ctpop ctlz cttz fshl fshr \
    sadd.with.overflow uadd.with.overflow ssub.with.overflow usub.with.overflow smul.with.overflow \
    umul.with.overflow sadd.sat uadd.sat ssub.sat usub.sat sshl.sat ushl.sat smul.fix umul.fix \
    sqrt powi sin cos tan asin acos atan atan2 sinh cosh tanh sincos sincospi modf pow exp exp2 exp10 log \
    log10 log2 fma fmuladd fabs minnum maxnum minimum maximum minimumnum maximumnum copysign floor ceil \
    trunc rint nearbyint round roundeven lround llround lrint llrint ldexp frexp canonicalize \
    fptoui.sat fptosi.sat convert.to.fp16 convert.from.fp16 get.rounding experimental.constrained \
    vector.reduce vector.insert vector.extract vector.reverse vector.splice vector.interleave2 \
    vector.deinterleave2 vector.partial.reduce.add vector.interleave3 vector.deinterleave3 \
    vector.interleave4 vector.deinterleave4 stepvector experimental.vector get.active.lane.mask \
    masked.load masked.store masked.gather masked.scatter masked.expandload masked.compressstore \
    matrix x86.sse x86.sse2 x86.sse3 x86.ssse3 x86.sse41 x86.sse42 x86.sse4a x86.avx x86.avx2 x86.avx512 x86.bmi \
    x86.fma x86.f16c x86.vcvtps2ph x86.vcvtph2ps x86.aesni x86.pclmulqdq x86.sha1msg1 x86.sha1msg2 x86.sha1nexte x86.sha1rnds4 \
    x86.sha256msg1 x86.sha256msg2 x86.sha256rnds2 x86.addcarry x86.subborrow x86.xop \
    aarch64.neon aarch64.crc32b aarch64.crc32h aarch64.crc32w aarch64.crc32x aarch64.crypto";

/// Whether an intrinsic of this name computes only.
pub(super) fn computes(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("llvm.") else { return false };
    FAMILIES.split_ascii_whitespace().any(|family| {
        rest.strip_prefix(family).is_some_and(|behind| behind.is_empty() || behind.starts_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::computes;

    #[test]
    fn clocks_and_registers_are_left_out() {
        for name in [
            "llvm.memcpy.p0.p0.i64",
            "llvm.smax.i32",
            "llvm.x86.sse2.pause",
            "llvm.dbg.value",
            "llvm.vector.reduce.add.v4i32",
        ] {
            assert!(computes(name), "{name}");
        }
        for name in [
            "llvm.x86.rdtsc",
            "llvm.x86.rdpmc",
            "llvm.x86.wrgsbase.64",
            "llvm.readcyclecounter",
            "llvm.read_register.i64",
            "llvm.addressofreturnaddress.p0",
            "llvm.coro.resume",
            "llvm.init.trampoline",
            "llvm.memcpyx",
            "memcpy",
        ] {
            assert!(!computes(name), "{name}");
        }
    }
}
