#include "check.h"
extern float __enzyme_autodiff(void*, ...);
float f(float x) {
  float s = 1;
  for (int i = 0; i < 5; i++) s = sinf(s * x) + expf(-x);
  return s;
}
int main() {
  float x = 0.3f;
  NEAR(__enzyme_autodiff((void*)f, x), (f(x + 1e-2f) - f(x - 1e-2f)) / 2e-2f);
  FINISH
}
