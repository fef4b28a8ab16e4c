// Records of several kinds in one place, and a heap of records.
#include "modes.h"
#include <queue>
#include <variant>
#include <vector>
struct disc { double r; };
struct box { double a, b; };
struct job { double when; int number; bool operator<(const job& o) const { return when < o.when; } };
double f(double* x) {
  std::vector<std::variant<disc, box>> w;
  std::priority_queue<job> q;
  for (int i = 0; i < 5; i++) {
    q.push({x[i % 3] + 0.1 * i, i});
    if (i % 2) w.push_back(disc{x[i % 3]});
    else w.push_back(box{x[0], x[i % 3] * i});
  }
  double s = 0;
  for (; !q.empty(); q.pop()) s = 0.9 * s + q.top().when * q.top().number;
  for (auto& one : w) {
    if (auto* d = std::get_if<disc>(&one)) s += d->r * d->r;
    else s += std::get<box>(one).a * std::get<box>(one).b;
  }
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
