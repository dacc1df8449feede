//! C's names for the elementary functions, in bitcode of their own.
//!
//! Compiled by `build.rs`, not part of the crate; the names begin as all of the
//! portable library's do. Results are the same on every machine, since `libm`
//! works with additions, multiplications and whole numbers only.
#![no_std]

macro_rules! functions {
    ($($name:ident($($parameter:ident),+) -> $number:ident = $function:ident;)+) => {
        $(
            #[no_mangle]
            pub extern "C" fn $name($($parameter: $number),+) -> $number {
                libm::$function($($parameter),+)
            }
        )+
    };
}

functions! {
    opc_libc_sin(x) -> f64 = sin;
    opc_libc_sinf(x) -> f32 = sinf;
    opc_libc_cos(x) -> f64 = cos;
    opc_libc_cosf(x) -> f32 = cosf;
    opc_libc_tan(x) -> f64 = tan;
    opc_libc_tanf(x) -> f32 = tanf;
    opc_libc_asin(x) -> f64 = asin;
    opc_libc_asinf(x) -> f32 = asinf;
    opc_libc_acos(x) -> f64 = acos;
    opc_libc_acosf(x) -> f32 = acosf;
    opc_libc_atan(x) -> f64 = atan;
    opc_libc_atanf(x) -> f32 = atanf;
    opc_libc_sinh(x) -> f64 = sinh;
    opc_libc_sinhf(x) -> f32 = sinhf;
    opc_libc_cosh(x) -> f64 = cosh;
    opc_libc_coshf(x) -> f32 = coshf;
    opc_libc_tanh(x) -> f64 = tanh;
    opc_libc_tanhf(x) -> f32 = tanhf;
    opc_libc_asinh(x) -> f64 = asinh;
    opc_libc_asinhf(x) -> f32 = asinhf;
    opc_libc_acosh(x) -> f64 = acosh;
    opc_libc_acoshf(x) -> f32 = acoshf;
    opc_libc_atanh(x) -> f64 = atanh;
    opc_libc_atanhf(x) -> f32 = atanhf;
    opc_libc_exp(x) -> f64 = exp;
    opc_libc_expf(x) -> f32 = expf;
    opc_libc_exp2(x) -> f64 = exp2;
    opc_libc_exp2f(x) -> f32 = exp2f;
    opc_libc_exp10(x) -> f64 = exp10;
    opc_libc_exp10f(x) -> f32 = exp10f;
    opc_libc_expm1(x) -> f64 = expm1;
    opc_libc_expm1f(x) -> f32 = expm1f;
    opc_libc_log(x) -> f64 = log;
    opc_libc_logf(x) -> f32 = logf;
    opc_libc_log2(x) -> f64 = log2;
    opc_libc_log2f(x) -> f32 = log2f;
    opc_libc_log10(x) -> f64 = log10;
    opc_libc_log10f(x) -> f32 = log10f;
    opc_libc_log1p(x) -> f64 = log1p;
    opc_libc_log1pf(x) -> f32 = log1pf;
    opc_libc_cbrt(x) -> f64 = cbrt;
    opc_libc_cbrtf(x) -> f32 = cbrtf;
    opc_libc_tgamma(x) -> f64 = tgamma;
    opc_libc_tgammaf(x) -> f32 = tgammaf;
    opc_libc_lgamma(x) -> f64 = lgamma;
    opc_libc_lgammaf(x) -> f32 = lgammaf;
    opc_libc_erf(x) -> f64 = erf;
    opc_libc_erff(x) -> f32 = erff;
    opc_libc_erfc(x) -> f64 = erfc;
    opc_libc_erfcf(x) -> f32 = erfcf;
    opc_libc_atan2(x, y) -> f64 = atan2;
    opc_libc_atan2f(x, y) -> f32 = atan2f;
    opc_libc_pow(x, y) -> f64 = pow;
    opc_libc_powf(x, y) -> f32 = powf;
    opc_libc_hypot(x, y) -> f64 = hypot;
    opc_libc_hypotf(x, y) -> f32 = hypotf;
    opc_libc_fdim(x, y) -> f64 = fdim;
    opc_libc_fdimf(x, y) -> f32 = fdimf;
    opc_libc_nextafter(x, y) -> f64 = nextafter;
    opc_libc_nextafterf(x, y) -> f32 = nextafterf;
    opc_libc_remainder(x, y) -> f64 = remainder;
    opc_libc_remainderf(x, y) -> f32 = remainderf;
    opc_libc_fma(x, y, z) -> f64 = fma;
    opc_libc_fmaf(x, y, z) -> f32 = fmaf;
}

/// Both at once.
///
/// # Safety
/// Both pointers can be written to.
#[no_mangle]
pub unsafe extern "C" fn opc_libc_sincos(x: f64, sine: *mut f64, cosine: *mut f64) {
    (*sine, *cosine) = libm::sincos(x);
}

/// The same.
///
/// # Safety
/// Both pointers can be written to.
#[no_mangle]
pub unsafe extern "C" fn opc_libc_sincosf(x: f32, sine: *mut f32, cosine: *mut f32) {
    (*sine, *cosine) = libm::sincosf(x);
}
