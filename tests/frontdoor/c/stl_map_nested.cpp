#include "modes.h"
#include <map>
#include <vector>
// Vectors in the nodes of a map, and a multimap with equal keys.
double f(double* x) {
  std::map<int, std::vector<double>> rows;
  for (int i = 0; i < 9; i++) rows[(i * 5) % 4].push_back(x[i % 3] * (i + 1));
  rows.erase(rows.begin());
  std::multimap<int, double> sums;
  for (auto& [key, row] : rows) {
    double sum = 0;
    for (double v : row) sum += v * v;
    sums.emplace(key % 2, sum);
  }
  double s = sums.count(1);
  for (auto range = sums.equal_range(1); range.first != range.second; ++range.first) s += range.first->second * x[0];
  auto found = rows.find(2);
  if (found != rows.end()) s *= found->second.back();
  return s + sums.size() * x[1];
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
