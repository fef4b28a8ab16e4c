#include "modes.h"
double f(double* x) {
  double u[5][5] = {{0}};
  for (int i = 0; i < 5; i++) {
    u[0][i] = x[0] * i;
    u[4][i] = x[1];
    u[i][4] = x[2] * i;
  }
  double change;
  int sweeps = 0;
  do {
    change = 0;
    for (int i = 1; i < 4; i++)
      for (int j = 1; j < 4; j++) {
        double next = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        change += fabs(next - u[i][j]);
        u[i][j] = next;
      }
  } while (change > 1e-12 && ++sweeps < 200);
  return u[2][2] * u[1][3] + u[3][1];
}
int main() {
  CHECK_MODES(f, 3, 0.5, 0.3, 0.7)
  FINISH
}
