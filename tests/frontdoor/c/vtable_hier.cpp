#include "check.h"
double __enzyme_autodiff(void*, double, int);
struct Layer {
  virtual void run(double* x, int n) = 0;
  virtual ~Layer() {}
};
struct Scale : Layer {
  double k;
  Scale(double k) : k(k) {}
  void run(double* x, int n) override {
    for (int i = 0; i < n; i++) x[i] *= k;
  }
};
struct Act : Layer {
  void run(double* x, int n) override {
    for (int i = 0; i < n; i++) x[i] = tanh(x[i]);
  }
};
double f(double w, int depth) {
  Layer* net[4];
  for (int i = 0; i < depth; i++) net[i] = i & 1 ? (Layer*)new Act : (Layer*)new Scale(w + i);
  double x[3] = {.1, .2, .3};
  for (int i = 0; i < depth; i++) net[i]->run(x, 3);
  double s = 0;
  for (int i = 0; i < 3; i++) s += x[i];
  for (int i = 0; i < depth; i++) delete net[i];
  return s;
}
int main() {
  double w = .9;
  EQUAL(__enzyme_autodiff((void*)f, w, 4), DIFFERENCE(f(w, 4), w, 1e-5));
  FINISH
}
