// Strings that grow and are cut between numbers, by functions that the library holds ready-made.
#include "modes.h"
#include <string>
#include <vector>
struct entry { std::string name; double value; };
double f(double* x) {
  std::vector<entry> entries;
  std::string all;
  for (int i = 0; i < 5; i++) {
    all += "item";
    all.push_back('a' + i);
    entries.push_back({"number " + std::to_string(i) + std::string(3 * i, '.'), x[i % 3] * x[1]});
  }
  all.erase(3, 5).insert(0, "front").replace(1, 2, "behind");
  entries[2].name.append(" and more than fits in place");
  entries[1].name = entries[2].name;
  double s = 0;
  for (auto& one : entries) s = 0.5 * s + one.value * one.name.size();
  return s * all.size();
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
