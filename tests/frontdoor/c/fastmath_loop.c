#include "check.h"
// flags: -march=native  -ffast-math
extern void __enzyme_autodiff(void*, ...);
float f(float* restrict x, float* restrict w, int n, int m) {
  float s = 0;
  for (int j = 0; j < m; j++) {
    float a = 0;
    for (int i = 0; i < n; i++) a += x[i] * w[j * n + i];
    s += fmaxf(a, 0.f) * a + fabsf(a);
  }
  return s;
}
int main() {
  float x[8], w[24], dx[8] = {0}, dw[24] = {0};
  for (int i = 0; i < 8; i++) x[i] = .1f * i - .3f;
  for (int i = 0; i < 24; i++) w[i] = .05f * i - .4f;
  __enzyme_autodiff((void*)f, x, dx, w, dw, 8, 3);
  for (int i = 0; i < 8; i++) {
    float h = 1e-2f, t = x[i];
    x[i] = t + h;
    float u = f(x, w, 8, 3);
    x[i] = t - h;
    float v = f(x, w, 8, 3);
    x[i] = t;
    NEAR(dx[i], (u - v) / (2 * h));
  }
  FINISH
}
