#include "modes.h"
// Layers in one block of weights, softmax and cross entropy.
double f(double* x) {
  double h[4], o[3], most = -1e300, sum = 0;
  for (int i = 0; i < 4; i++) {
    h[i] = 0;
    for (int j = 0; j < 3; j++) h[i] += x[(i + j) % 4] * (j + 1) * 0.3;
    h[i] = h[i] > 0 ? h[i] : 0.01 * h[i];
  }
  for (int k = 0; k < 3; k++) {
    o[k] = 0;
    for (int i = 0; i < 4; i++) o[k] += h[i] * x[(i * k) % 4];
    most = o[k] > most ? o[k] : most;
  }
  for (int k = 0; k < 3; k++) sum += exp(o[k] - most);
  return log(sum) + most - o[1];
}
int main() {
  CHECK_MODES(f, 4, 0.31, -0.22, 0.43, 1.2)
  FINISH
}
