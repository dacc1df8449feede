// Where old programs look for `memcpy`.
#pragma once
#include <string.h>
