#define ADJOINT 1e-5
#include "modes.h"
#include <tuple>
#include <cmath>
template <class... T>
double total(T... values) {
  return (values + ...) * (values * ...);
}
template <class Tuple, std::size_t... I>
double weigh(const Tuple& t, std::index_sequence<I...>) {
  return ((std::get<I>(t) * (I + 1)) + ...);
}
double f(double* x) {
  auto t = std::make_tuple(x[0], (float)2, x[1] * x[0], 3);
  return total(x[0], x[1], std::sin(x[0])) + weigh(t, std::make_index_sequence<4>());
}
int main() {
  CHECK_MODES(f, 2, 0.5, 0.8)
  FINISH
}
