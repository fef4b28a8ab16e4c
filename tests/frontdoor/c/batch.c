#include "check.h"
typedef struct {
  double a, b;
} V2;
extern V2 __enzyme_batch(void*, ...);
double f(double x, double y) { return x * sin(y); }
extern int enzyme_vector, enzyme_scalar;
int main() {
  V2 v = __enzyme_batch((void*)f, enzyme_width, 2, enzyme_vector, 1.0, 2.0, enzyme_scalar, 0.5);
  EQUAL(v.a, sin(0.5));
  EQUAL(v.b, 2 * sin(0.5));
  FINISH
}
