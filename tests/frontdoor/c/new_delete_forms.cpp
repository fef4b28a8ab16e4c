#include "modes.h"
#include <new>
// Every form of new and delete: aligned, without exceptions, with sizes.
struct alignas(64) Wide {
  double v[8];
};
double f(double* x) {
  Wide* w = new Wide();
  Wide* many = new Wide[2]();
  double* plain = new (std::nothrow) double[4];
  double* one = new (std::nothrow) double(x[0]);
  if (!plain || !one) return 0;
  for (int i = 0; i < 4; i++) plain[i] = x[i % 2] * i;
  w->v[3] = x[1] * *one;
  many[1].v[2] = w->v[3] * plain[1];
  double s = many[1].v[2] * many[1].v[2] + plain[3];
  delete one;
  delete[] plain;
  delete[] many;
  delete w;
  return s;
}
int main() {
  CHECK_MODES(f, 2, 0.5, 1.5)
  FINISH
}
