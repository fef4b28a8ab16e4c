#include "check.h"
typedef struct {
  float p, d;
} R;
extern R __enzyme_fwddiff(void*, ...);
float f(float x) { return x * x; }
int main() {
  R r = __enzyme_fwddiff((void*)f, enzyme_primal_return, enzyme_dup, 3.f, 1.f);
  EQUAL(r.p, 9);
  EQUAL(r.d, 6);
  FINISH
}
