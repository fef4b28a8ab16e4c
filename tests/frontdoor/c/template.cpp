#include "check.h"
template <class R, class... A>
R __enzyme_autodiff(R (*)(A...), ...);
template <class T>
T poly(T x, T y) {
  return x * x * y + y;
}
struct D2 {
  double a, b;
};
extern "C" D2 __enzyme_autodiff_2(void*, double, double);
int main() {
  D2 d = __enzyme_autodiff_2((void*)poly<double>, 2.0, 3.0);
  EQUAL(d.a, 12);
  EQUAL(d.b, 5);
  double y = 3;
  FINISH
}
