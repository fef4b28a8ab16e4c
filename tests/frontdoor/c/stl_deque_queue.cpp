#include "modes.h"
#include <deque>
#include <queue>
#include <stack>
double f(double* x) {
  std::queue<double> q;
  for (int i = 0; i < 3; i++) q.push(x[i]);
  double s = 0;
  for (int i = 0; i < 5; i++) {
    double v = q.front();
    q.pop();
    s += v * v;
    q.push(v * x[i % 3] * 0.5);
  }
  std::stack<double> t;
  t.push(s);
  t.push(x[0]);
  double top = t.top();
  t.pop();
  return top * t.top();
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
