#include "modes.h"
// Pixels of bytes are constant, what is computed of them is in single precision.
double f(double* x) {
  unsigned char pixel[5][5];
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++) pixel[i][j] = (unsigned char)(37 * i * i + 11 * j);
  double s = 0;
  for (int i = 1; i < 4; i++)
    for (int j = 1; j < 4; j++) {
      double gx = 0, gy = 0;
      for (int k = -1; k <= 1; k++) {
        double w = k == 0 ? x[0] : x[1];
        gx += w * (pixel[i + k][j + 1] - pixel[i + k][j - 1]);
        gy += w * (pixel[i + 1][j + k] - pixel[i - 1][j + k]);
      }
      s += sqrt(gx * gx + gy * gy + x[2]);
    }
  return s / 255;
}
int main() {
  CHECK_MODES(f, 3, 2, 1, 0.8)
  FINISH
}
