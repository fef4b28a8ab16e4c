#include "modes.h"
#include <vector>
double f(double* x) {
  std::vector<std::vector<double>> m;
  for (int i = 0; i < 4; i++) {
    std::vector<double> row;
    for (int j = 0; j <= i; j++) row.push_back(x[j % 3] + i * j * x[0]);
    m.push_back(std::move(row));
  }
  double s = 1;
  for (auto& row : m)
    for (std::size_t j = 1; j < row.size(); j++) s += row[j] * row[j - 1] / (1 + s * s);
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
