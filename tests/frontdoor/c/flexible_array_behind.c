#define ADJOINT 1e-6
#define LAYOUT float
#define BEFORE NONE
#define BEHIND int i
#include "modes.h"
#include "flexible_array.h"
