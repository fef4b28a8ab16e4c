#include "modes.h"
// A user's function with a user's pointer, in adaptive quadrature.
typedef double (*Integrand)(double, void*);
typedef struct {
  double a, b;
} Parameters;
static double bump(double t, void* p) {
  Parameters* q = p;
  return exp(-q->a * t * t) * q->b;
}
static double wave(double t, void* p) { return sin(t * ((Parameters*)p)->b); }
static double simpson(Integrand g, void* p, double l, double r) {
  return (r - l) / 6 * (g(l, p) + 4 * g(0.5 * (l + r), p) + g(r, p));
}
static double integrate(Integrand g, void* p, double l, double r, double whole, int depth) {
  double m = 0.5 * (l + r), left = simpson(g, p, l, m), right = simpson(g, p, m, r);
  if (depth == 0 || fabs(left + right - whole) < 1e-4) return left + right + (left + right - whole) / 15;
  return integrate(g, p, l, m, left, depth - 1) + integrate(g, p, m, r, right, depth - 1);
}
double f(double* x) {
  Parameters p = {x[0], x[1]};
  double s = 0;
  Integrand all[] = {bump, wave};
  for (int i = 0; i < 2; i++) s += integrate(all[i], &p, 0, 2, simpson(all[i], &p, 0, 2), 6);
  return s * s;
}
int main() {
  CHECK_MODES(f, 2, 1.25, 0.7)
  FINISH
}
