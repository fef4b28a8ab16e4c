#define ADJOINT 1e-6
#include "modes.h"

#define TABLE(name)
#define CHOOSE(way, name, first) way##_##name
#include "record_chosen.h"
