// What is kept of the calls that were measured, and how many draws are made.
#pragma once
#include <cstddef>
// By `way`: "worst" keeps what could be the worst, and so does "steps", where the processor itself counts, "each" keeps
// every call, "parts" every call, each of which is a part of callgrind's file. One draw in `thinness` is made. Of all functions, or of those that are wanted.
void keep_calls(const char *way, size_t thinness, char **wanted);
// Whether calls from now on have arguments that are usual. They come first: draws leave zones and files behind.
void keep_usual_ones(bool are_usual);
void write_kept();
