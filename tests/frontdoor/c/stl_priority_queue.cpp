#include "modes.h"
#include <queue>
#include <vector>
double f(double* x) {
  std::priority_queue<double> q;
  for (int i = 0; i < 5; i++) q.push(x[i]);
  double s = 0;
  for (int i = 1; !q.empty(); i++) {
    s += q.top() * q.top() * i;
    q.pop();
    if (i == 2) q.push(x[0] * 0.1);
  }
  return s;
}
int main() {
  CHECK_MODES(f, 5, 0.5, -1, 2, 0.7, 0.3)
  FINISH
}
