#include "modes.h"
// A shared virtual base whose member all sides change.
struct State {
  double v = 0;
  virtual void step(double x) { v += x; }
  virtual ~State() {}
};
struct Twice : virtual State {
  void step(double x) override { v += 2 * x * v; }
};
struct Damped : virtual State {
  double k = 0.5;
  void damp() { v *= k; }
};
struct Both : Twice, Damped {
  void step(double x) override {
    State::step(x);
    Twice::step(x);
    damp();
  }
};
__attribute__((noinline)) static void run(State* s, double x) {
  for (int i = 0; i < 4; i++) s->step(x * (i + 1));
}
double f(double* x) {
  Both both;
  both.k = x[1];
  run(&both, x[0]);
  return both.v;
}
int main() {
  CHECK_MODES(f, 2, 0.5, 0.8)
  FINISH
}
