#include "modes.h"
#include <cstddef>
// Sums and products of vectors that are computed when they are assigned.
template <class E>
struct Expression {
  const E& self() const { return static_cast<const E&>(*this); }
};
template <std::size_t N>
struct Vector : Expression<Vector<N>> {
  double v[N];
  Vector() = default;
  template <class E>
  Vector(const Expression<E>& e) {
    for (std::size_t i = 0; i < N; i++) v[i] = e.self()[i];
  }
  double operator[](std::size_t i) const { return v[i]; }
};
template <class L, class R>
struct Sum : Expression<Sum<L, R>> {
  const L& l;
  const R& r;
  Sum(const L& a, const R& b) : l(a), r(b) {}
  double operator[](std::size_t i) const { return l[i] + r[i]; }
};
template <class L, class R>
struct Times : Expression<Times<L, R>> {
  const L& l;
  const R& r;
  Times(const L& a, const R& b) : l(a), r(b) {}
  double operator[](std::size_t i) const { return l[i] * r[i]; }
};
template <class L, class R>
Sum<L, R> operator+(const Expression<L>& a, const Expression<R>& b) {
  return {a.self(), b.self()};
}
template <class L, class R>
Times<L, R> operator*(const Expression<L>& a, const Expression<R>& b) {
  return {a.self(), b.self()};
}
double f(double* x) {
  Vector<4> a, b;
  for (int i = 0; i < 4; i++) {
    a.v[i] = x[0] * (i + 1);
    b.v[i] = x[1] + i;
  }
  Vector<4> c = a * b + a * a * b;
  Vector<4> d = c + c * a;
  double s = 0;
  for (int i = 0; i < 4; i++) s += d[i] * c[i];
  return s;
}
int main() {
  CHECK_MODES(f, 2, 0.5, 0.8)
  FINISH
}
