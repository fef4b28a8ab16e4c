#include "check.h"
#include <enzyme/enzyme>
#include <cmath>
// Every mode of the header, with references, structures behind pointers and constants.
static double model(double a, const double* w, double& out, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a * w[i] * w[i];
  out = s * a;
  return std::sin(s);
}
int main() {
  double w[3] = {0.5, 1, -1}, dw[3] = {0}, out = 0, dout = 1;
  auto whole = enzyme::autodiff<enzyme::ReverseWithPrimal>(model, enzyme::active{0.7}, enzyme::duplicated{(const double*)w, (const double*)dw},
                                                        enzyme::duplicated<double&>{out, dout}, 3);
  double s = 0.7 * 2.25, dws = 2 * 0.7;
  EQUAL(enzyme::get<1>(whole), std::sin(s));
  EQUAL(enzyme::get<0>(enzyme::get<0>(whole)), std::cos(s) * 2.25 + 2 * s);
  for (int i = 0; i < 3; i++) EQUAL(dw[i], dws * w[i] * (std::cos(s) + 0.7));
  FINISH
}
