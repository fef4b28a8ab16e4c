// flags: -std=c++17
#include <enzyme/enzyme>
#include <stdio.h>
#include <math.h>
#include <string.h>
static int wrong = 0;
static void compare(int line, double got, double want, double tol) {
  double e = fabs(got - want);
  if (!(e <= tol * (1 + fabs(want)))) {
    wrong++;
    printf("BAD line %d got %.12g want %.12g\n", line, got, want);
  }
}
#define EQUAL(got, want) compare(__LINE__, got, want, 1e-5)
double square(double x) { return x * x; }
double two(double x, double y) { return x * x * y; }
double mix(double x, const double* p, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += p[i] * x;
  return s;
}
void out(double x, double* y) { *y = sin(x); }
double byref(const double& x) { return x * x * x; }
int main() {
  auto [g] = enzyme::autodiff<enzyme::Reverse>(square, enzyme::active<double>{3.0});
  EQUAL(g, 6);
  EQUAL(enzyme::get<0>(enzyme::get<0>(enzyme::autodiff<enzyme::Reverse>(square, enzyme::active{3.0}))), 6);
  auto [gs, p] = enzyme::autodiff<enzyme::ReverseWithPrimal>(two, enzyme::active<double>{3.0},
                                                             enzyme::active<double>{2.0});
  auto [a, b] = gs;
  EQUAL(a, 12);
  EQUAL(b, 9);
  EQUAL(p, 18);
  double t = enzyme::autodiff<enzyme::Forward>(square, enzyme::duplicated<double>{3.0, 1.0});
  EQUAL(t, 6);
  auto [t2, p2] =
      enzyme::autodiff<enzyme::ForwardWithPrimal>(two, enzyme::duplicated{3.0, 1.0}, enzyme::constant{2.0});
  EQUAL(t2, 12);
  EQUAL(p2, 18);
  double q[2] = {1, 2}, dq[2] = {0, 0};
  auto [r] = enzyme::autodiff<enzyme::Reverse>(mix, enzyme::active{2.0},
                                               enzyme::duplicated<const double*>{q, dq}, 2);
  EQUAL(enzyme::get<0>(r), 3);
  EQUAL(dq[0], 2);
  double y, dy = 1;
  auto [o] =
      enzyme::autodiff<enzyme::Reverse>(out, enzyme::active{0.5}, enzyme::duplicated<double*>{&y, &dy});
  EQUAL(enzyme::get<0>(o), cos(0.5));
  double z = 2, dz = 0;
  enzyme::autodiff<enzyme::Reverse>(byref, enzyme::duplicated<double&>{z, dz});
  EQUAL(dz, 12);
  auto [l] = enzyme::autodiff<enzyme::Reverse>([](double x) { return exp(x); }, enzyme::active{0.5});
  EQUAL(enzyme::get<0>(l), exp(0.5));
  if (!wrong) printf("OK\n");
  return wrong != 0;
}
