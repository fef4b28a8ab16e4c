#include "modes.h"
// A separable filter with edges that are mirrored, through a second image.
enum { W = 6, H = 5 };
static int mirrored(int i, int n) { return i < 0 ? -i - 1 : i >= n ? 2 * n - i - 1 : i; }
static void pass(const double* in, double* out, int w, int h, const double* kernel, int radius) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      double s = 0;
      for (int k = -radius; k <= radius; k++) s += kernel[k + radius] * in[y * w + mirrored(x + k, w)];
      out[x * h + y] = s;
    }
}
double f(double* x) {
  double image[W * H], other[W * H], kernel[5], sum = 0;
  for (int i = 0; i < W * H; i++) image[i] = x[i % 3] * sin(i + 1.0);
  for (int k = -2; k <= 2; k++) sum += kernel[k + 2] = exp(-k * k / (2 * x[3] * x[3]));
  for (int k = 0; k < 5; k++) kernel[k] /= sum;
  pass(image, other, W, H, kernel, 2);
  pass(other, image, H, W, kernel, 2);
  double s = 0;
  for (int i = 0; i < W * H; i++) s += image[i] * image[i] * (1 + i % 4);
  return s;
}
int main() {
  CHECK_MODES(f, 4, 0.3, 1.5, 0.8, 1.1)
  FINISH
}
