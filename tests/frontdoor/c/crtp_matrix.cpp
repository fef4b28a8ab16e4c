#include "modes.h"
#include <array>
// Matrices of fixed size by templates; the determinant by recursion over the size.
template <int R, int C>
struct Matrix {
  std::array<std::array<double, C>, R> m{};
  template <int K>
  Matrix<R, K> operator*(const Matrix<C, K>& o) const {
    Matrix<R, K> made;
    for (int i = 0; i < R; i++)
      for (int j = 0; j < K; j++)
        for (int k = 0; k < C; k++) made.m[i][j] += m[i][k] * o.m[k][j];
    return made;
  }
};
template <int N>
double determinant(const Matrix<N, N>& a) {
  if constexpr (N == 1) {
    return a.m[0][0];
  } else {
    double s = 0;
    for (int c = 0; c < N; c++) {
      Matrix<N - 1, N - 1> minor;
      for (int i = 1; i < N; i++)
        for (int j = 0, k = 0; j < N; j++)
          if (j != c) minor.m[i - 1][k++] = a.m[i][j];
      s += (c % 2 ? -1 : 1) * a.m[0][c] * determinant(minor);
    }
    return s;
  }
}
double f(double* x) {
  Matrix<3, 3> a;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a.m[i][j] = x[(i + j) % 3] + i * j;
  return determinant(a * a) + determinant(a);
}
int main() {
  CHECK_MODES(f, 3, 0.5, 0.8, -1)
  FINISH
}
