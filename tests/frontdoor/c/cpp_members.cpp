#include "check.h"
double __enzyme_autodiff(void*, void*, void*);
template <int N>
struct Vec {
  double a[N];
  Vec operator+(const Vec& o) const {
    Vec r;
    for (int i = 0; i < N; i++) r.a[i] = a[i] + o.a[i];
    return r;
  }
  Vec operator*(double k) const {
    Vec r;
    for (int i = 0; i < N; i++) r.a[i] = a[i] * k;
    return r;
  }
  double dot(const Vec& o) const {
    double s = 0;
    for (int i = 0; i < N; i++) s += a[i] * o.a[i];
    return s;
  }
};
struct Model {
  Vec<5> w;
  double b;
  double loss() const {
    Vec<5> v = w * b + w;
    return v.dot(w) + b * b;
  }
};
double f(Model* m) { return m->loss(); }
int main() {
  Model m{{{1, 2, 3, 4, 5}}, .5}, d{{{0, 0, 0, 0, 0}}, 0};
  __enzyme_autodiff((void*)f, &m, &d);
  EQUAL(d.w.a[2], 2 * 1.5 * 3);
  EQUAL(d.b, 55 + 1);
  FINISH
}
