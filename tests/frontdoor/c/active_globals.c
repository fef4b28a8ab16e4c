#include "check.h"
extern double __enzyme_autodiff(void*, ...);
extern double __enzyme_fwddiff(void*, ...);
double work[8];
static double acc;
typedef struct {
  int n;
  double w[3];
} St;
St st;
__attribute__((noinline)) void fill(double x, int n) {
  for (int i = 0; i < n; i++) work[i] = x * i;
  if (n > 4) fill(x * 0.5, n - 1);
}
__attribute__((noinline)) double sum(int n) {
  acc = 0;
  for (int i = 0; i < n; i++) acc += work[i] * work[i];
  return acc;
}
double f(double x, int n) {
  fill(x, n);
  st.n = n;
  st.w[1] = x;
  return sum(n) * x * st.w[1];
}
int main() {
  double x = .6;
  for (int k = 0; k < 2; k++) EQUAL(__enzyme_autodiff((void*)f, x, 6), DIFFERENCE(f(x, 6), x, 1e-5));
  EQUAL(__enzyme_fwddiff((void*)f, x, 1.0, 6), DIFFERENCE(f(x, 6), x, 1e-5));
  FINISH
}
