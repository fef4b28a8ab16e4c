#include "check.h"
extern float __enzyme_autodiff(void*, ...);
float rsq(float x) {
  int i;
  float h = .5f * x;
  memcpy(&i, &x, 4);
  i = 0x5f3759df - (i >> 1);
  float y;
  memcpy(&y, &i, 4);
  for (int k = 0; k < 4; k++) y = y * (1.5f - h * y * y);
  return y;
}
int main() {
  float x = 2;
  NEAR(__enzyme_autodiff((void*)rsq, x), -.5f * powf(x, -1.5f));
  FINISH
}
