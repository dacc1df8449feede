// Is there one thread? Always; the library says so.
#pragma once
#ifdef __cplusplus
extern "C"
#endif
extern char __libc_single_threaded;
