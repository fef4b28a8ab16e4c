// A table of functions says how to choose.
#define ADJOINT 1e-6
#include "modes.h"

#define TABLE(name) static name (*ways_##name[2])(name, name) = {larger_##name, unless_##name};
#define CHOOSE(way, name, first) ways_##name[(i + k + first) % 2]
#include "record_chosen.h"
