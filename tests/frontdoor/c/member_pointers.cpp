#include "modes.h"
// Pointers to members: to data, and to functions that are virtual or not.
struct Model {
  double a, b;
  double plain(double x) const { return a * x; }
  virtual double bent(double x) const { return b * x * x; }
};
struct Better : Model {
  double bent(double x) const override { return a * b * x * x * x; }
};
double f(double* x) {
  Better m;
  m.a = x[0];
  m.b = x[1];
  double Model::*fields[] = {&Model::a, &Model::b};
  double (Model::*functions[])(double) const = {&Model::plain, &Model::bent};
  double s = 0;
  for (auto field : fields) s += m.*field * (m.*field);
  for (auto function : functions) s += (m.*function)(s);
  return s;
}
int main() {
  CHECK_MODES(f, 2, 0.5, 0.8)
  FINISH
}
