#include "modes.h"
// Conjugate gradients for a tridiagonal matrix until the residual is small.
double f(double* x) {
  enum { N = 6 };
  double b[N], u[N] = {0}, r[N], p[N], q[N], rr = 0;
  for (int i = 0; i < N; i++) {
    b[i] = x[i % 3] * (i + 1);
    r[i] = p[i] = b[i];
    rr += r[i] * r[i];
  }
  for (int k = 0; k < 40 && rr > 1e-24; k++) {
    double pq = 0;
    for (int i = 0; i < N; i++) {
      q[i] = (2 + x[3]) * p[i] - (i > 0 ? p[i - 1] : 0) - (i + 1 < N ? p[i + 1] : 0);
      pq += p[i] * q[i];
    }
    double step = rr / pq, next = 0;
    for (int i = 0; i < N; i++) {
      u[i] += step * p[i];
      r[i] -= step * q[i];
      next += r[i] * r[i];
    }
    for (int i = 0; i < N; i++) p[i] = r[i] + next / rr * p[i];
    rr = next;
  }
  double s = 0;
  for (int i = 0; i < N; i++) s += u[i] * u[i];
  return s;
}
int main() {
  CHECK_MODES(f, 4, 1, -0.5, 0.7, 0.4)
  FINISH
}
