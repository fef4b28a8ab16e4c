#include "check.h"
extern double __enzyme_autodiff(void*, ...);
double f(double x) {
  char buf[40];
  snprintf(buf, sizeof buf, "%g", x);
  if (strlen(buf) == 0) return 0;
  fprintf(stderr, "x=%s\n", buf);
  return x * x;
}
int main() {
  double x = 1.1;
  EQUAL(__enzyme_autodiff((void*)f, x), 2 * x);
  FINISH
}
