#include "modes.h"
#include <unordered_map>
// The table grows several times; entries are taken out and come again.
double f(double* x) {
  std::unordered_map<int, double> table;
  for (int i = 0; i < 40; i++) table[(i * 7) % 23] += x[i % 3] * (1 + 0.1 * i);
  for (int i = 0; i < 23; i += 4) table.erase(i);
  for (int i = 0; i < 8; i++) table[i] -= x[2];
  double s = 0;
  for (int i = 0; i < 23; i++) {
    auto found = table.find(i);
    if (found != table.end()) s += (i + 1) * found->second * found->second;
  }
  return s / table.size();
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
