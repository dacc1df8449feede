// Claims; may be included again with another NDEBUG.
#undef assert
#ifdef NDEBUG
#define assert(claim) ((void)0)
#else
#define assert(claim) ((claim) ? (void)0 : __assert_fail(#claim, __FILE__, __LINE__, __func__))
#endif
#ifndef OPC_ASSERT
#define OPC_ASSERT
#if !defined static_assert && !defined __cplusplus && __STDC_VERSION__ < 202311L
#define static_assert _Static_assert
#endif
#ifdef __cplusplus
extern "C"
#endif
    void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
#endif
