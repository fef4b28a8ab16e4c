#include "modes.h"
// Neighbours on both sides; what is taken out is added to them.
typedef struct Ring {
  struct Ring *before, *after;
  double v;
} Ring;
double f(double* x) {
  Ring nodes[6];
  for (int i = 0; i < 6; i++) nodes[i] = (Ring){&nodes[(i + 5) % 6], &nodes[(i + 1) % 6], x[i % 3] * (1 + i)};
  Ring* at = nodes;
  for (int k = 0; k < 4; k++) {
    Ring* gone = at->after;
    gone->before->v += gone->v * gone->v;
    gone->after->v *= 1 + 0.1 * gone->v;
    gone->before->after = gone->after;
    gone->after->before = gone->before;
    at = gone->after;
  }
  return at->v * at->after->v;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
