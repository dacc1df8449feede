#pragma once
// "OP" in the manner of valgrind's own tools.
#define COUNTED 0x4f500000
