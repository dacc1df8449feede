// Types of the system's functions, as on the reference machine.
#pragma once
#include <stddef.h>
#include <stdint.h>
typedef long ssize_t, off_t, time_t, clock_t, suseconds_t;
typedef int clockid_t, pid_t;
typedef unsigned uid_t, gid_t, mode_t, useconds_t;
typedef unsigned char u_char;
typedef unsigned short u_short, ushort;
typedef unsigned u_int, uint;
typedef unsigned long u_long, ulong;
