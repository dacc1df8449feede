// Where old programs look for the heap.
#pragma once
#include <stdlib.h>
