#include "modes.h"
// Jumps backwards and out of nests.
double f(double* x) {
  double y = x[0], h = 0.5;
  int tries = 0;
again:
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      y += h * x[1] * (i - j);
      if (y > 2) goto large;
    }
  goto done;
large:
  y = y / 2 + x[0] * 0.1;
  h *= 0.5;
  if (++tries < 4) goto again;
done:
  return y * y * h + tries * x[1];
}
int main() {
  CHECK_MODES(f, 2, 0.9, 0.62)
  FINISH
}
