#define ADJOINT 1e-6
#define LAYOUT double
#define BEFORE int i
#define BEHIND NONE
#include "modes.h"
#include "flexible_array.h"
