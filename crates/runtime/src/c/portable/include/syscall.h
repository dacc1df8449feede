// Where libstdc++ looks for the system's way of waiting.
#pragma once
#define SYS_futex 202
