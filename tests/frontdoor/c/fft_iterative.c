#include "modes.h"
// Bit reversal, then butterflies in place, in separate arrays of real and imaginary parts.
static void transform(double* re, double* im, int n) {
  for (int i = 1, j = 0; i < n; i++) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      double t = re[i];
      re[i] = re[j];
      re[j] = t;
      t = im[i];
      im[i] = im[j];
      im[j] = t;
    }
  }
  for (int length = 2; length <= n; length <<= 1) {
    double angle = -2 * M_PI / length;
    for (int i = 0; i < n; i += length)
      for (int k = 0; k < length / 2; k++) {
        double c = cos(angle * k), s = sin(angle * k);
        int a = i + k, b = a + length / 2;
        double tr = re[b] * c - im[b] * s, ti = re[b] * s + im[b] * c;
        re[b] = re[a] - tr;
        im[b] = im[a] - ti;
        re[a] += tr;
        im[a] += ti;
      }
  }
}
double f(double* x) {
  double re[16], im[16];
  for (int i = 0; i < 16; i++) {
    re[i] = x[i % 4] * (1 + i % 3);
    im[i] = x[(i + 2) % 4] * 0.5;
  }
  transform(re, im, 16);
  double power = 0;
  for (int i = 0; i < 16; i++) power += (i + 1) * (re[i] * re[i] + im[i] * im[i]);
  return sqrt(power);
}
int main() {
  CHECK_MODES(f, 4, 1, 0.5, -2, 0.25)
  FINISH
}
