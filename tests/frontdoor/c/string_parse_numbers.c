#include "modes.h"
// Coefficients are read from a text, numbers come from the caller.
double f(double* x) {
  const char* text = "2.5 -1 0.125 4";
  char copy[32];
  strcpy(copy, text);
  double s = 0, p = 1;
  char* at = copy;
  for (int i = 0; i < 4; i++) {
    double c = strtod(at, &at);
    s += c * p;
    p *= x[0];
  }
  int n = 0;
  for (const char* c = text; *c; c++) n += *c == ' ';
  return s * n + x[1] * atof("0.5");
}
int main() {
  CHECK_MODES(f, 2, 0.5, 0.62)
  FINISH
}
