#include "modes.h"
#include <vector>
struct Particle {
  double x, v;
  int kind;
};
double f(double* x) {
  std::vector<Particle> all;
  for (int i = 0; i < 6; i++) all.push_back({x[0] * i, x[1] - i, i % 2});
  for (int step = 0; step < 3; step++)
    for (auto& p : all) {
      p.v -= 0.1 * p.x * (p.kind ? x[2] : 1);
      p.x += 0.1 * p.v;
    }
  all.erase(all.begin() + 1);
  all.insert(all.begin(), {x[2], x[0], 1});
  double s = 0;
  for (auto& p : all) s += p.x * p.x + (p.kind ? p.v : 0);
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 2)
  FINISH
}
