// Records with several arrays, one behind the other, of numbers, counts and addresses, indexed by variables and copied.
#include "modes.h"

typedef struct { int top; double s[16]; int kind[16]; } Stack;
typedef struct { int kind[16]; double s[16]; short more[8]; } Before;
typedef struct { double s[8]; int kind[8]; double t[8]; } Mixed;

static double copied(double* x) {
  int n = 4 + (x[3] > 0);
  Stack s = {0};
  for (int i = 0; i < n; i++) {
    s.s[i] = x[i % 4], s.kind[i] = i, s.top++;
    Stack c = s;
    c.s[i] *= 2;
    s = c;
  }
  double r = 0;
  for (int i = 0; i < s.top; i++) r += s.s[i] * s.s[i] * s.kind[i];
  return r;
}
static double copied_before(double* x) {
  int n = 12 + (x[3] > 0);
  Before s = {0};
  for (int i = 0; i < n; i++) s.kind[i] = i % 3, s.more[i % 8] = i;
  for (int i = 0; i < n; i++) {
    s.s[i] = x[i % 4] * x[0];
    Before c = s;
    c.s[n - 1 - i] += c.s[i] * s.kind[i];
    s = c;
  }
  double r = 0;
  for (int i = 0; i < n; i++) r += s.s[i] * s.kind[i] * s.more[i % 8];
  return r;
}
static double copied_mixed(double* x) {
  int n = 7 + (x[3] > 0);
  Mixed a = {0}, b;
  for (int i = 0; i < n; i++) a.s[i] = x[i % 4], a.kind[i] = i, a.t[i] = x[(i + 1) % 4];
  b = a;
  for (int i = 0; i < n; i++) b.s[i] *= a.t[b.kind[i]], b.t[n - 1 - i] += a.s[i];
  Mixed* h = malloc(2 * sizeof b);
  memcpy(h + 1, &b, sizeof b);
  h[0] = h[1];
  double r = 0;
  for (int i = 0; i < n; i++) r += h[0].s[i] * h[1].t[i] * h[0].kind[i];
  free(h);
  return r;
}
static double pushed(double* x) {
  int n = 6 + (x[3] > 0);
  Stack s = {0}, kept;
  for (int i = 0; i < n; i++) s.s[s.top] = x[i % 4] * (i + 1), s.kind[s.top++] = i % 2;
  kept = s;
  double r = 0;
  while (s.top > 1) {
    double y = s.s[--s.top];
    if (s.kind[s.top]) s.s[s.top - 1] *= y;
    else s.s[s.top - 1] += y * y;
    if (s.top == 3) kept = s;
  }
  for (int i = 0; i < kept.top; i++) r += kept.s[i] * (1 + kept.kind[i]);
  return r + s.s[0];
}

int main() {
  CHECK_MODES(copied, 4, 0.7, -0.4, 1.3, 0.6)
  CHECK_MODES(copied_before, 4, 0.7, -0.4, 1.3, 0.6)
  CHECK_MODES(copied_mixed, 4, 0.7, -0.4, 1.3, 0.6)
  CHECK_MODES(pushed, 4, 0.7, -0.4, 1.3, 0.6)
  FINISH
}
