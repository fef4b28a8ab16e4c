#include "check.h"
extern double __enzyme_autodiff(void*, double, int);
struct P {
  double v;
  P* next;
};
double f(double x, int n) {
  P* h = nullptr;
  for (int i = 0; i < n; i++) {
    P* q = new P;
    q->v = x * i;
    q->next = h;
    h = q;
  }
  double s = 0;
  while (h) {
    s += h->v * h->v;
    P* q = h->next;
    delete h;
    h = q;
  }
  double* a = new double[n];
  for (int i = 0; i < n; i++) a[i] = s * x;
  s = a[n - 1];
  delete[] a;
  return s;
}
int main() {
  double x = 0.9;
  EQUAL(__enzyme_autodiff((void*)f, x, 5), DIFFERENCE(f(x, 5), x, 1e-5));
  FINISH
}
