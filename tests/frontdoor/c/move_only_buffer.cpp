#include "modes.h"
#include <cstddef>
#include <utility>
// A class with all five special members, moved, copied and assigned.
class Buffer {
 public:
  explicit Buffer(std::size_t n) : n_(n), p_(new double[n]()) {}
  Buffer(const Buffer& o) : n_(o.n_), p_(new double[o.n_]) {
    for (std::size_t i = 0; i < n_; i++) p_[i] = o.p_[i];
  }
  Buffer(Buffer&& o) noexcept : n_(std::exchange(o.n_, 0)), p_(std::exchange(o.p_, nullptr)) {}
  Buffer& operator=(Buffer o) noexcept {
    std::swap(n_, o.n_);
    std::swap(p_, o.p_);
    return *this;
  }
  ~Buffer() { delete[] p_; }
  double& operator[](std::size_t i) { return p_[i]; }
  std::size_t size() const { return n_; }

 private:
  std::size_t n_;
  double* p_;
};
static Buffer doubled(Buffer b) {
  for (std::size_t i = 0; i < b.size(); i++) b[i] *= 2;
  return b;
}
double f(double* x) {
  Buffer a(3);
  for (int i = 0; i < 3; i++) a[i] = x[i] * x[i];
  Buffer b = a;
  b = doubled(std::move(b));
  a = doubled(a);
  a[1] += b[0];
  double s = 0;
  for (int i = 0; i < 3; i++) s += a[i] * b[i];
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.3, 1.5, -0.5)
  FINISH
}
