#include "modes.h"
#include <map>
#include <string>
double f(double* x) {
  std::map<std::string, double> parameters;
  parameters["stiffness"] = x[0];
  parameters["damping"] = x[1];
  parameters.emplace("length", 2 * x[0]);
  double s = 0;
  for (const auto& p : parameters) s += p.second * p.second;
  return s * parameters.at("damping");
}
int main() {
  CHECK_MODES(f, 2, 0.5, -1)
  FINISH
}
