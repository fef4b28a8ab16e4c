#include "modes.h"
typedef struct {
  unsigned fixed : 1;
  unsigned group : 3;
  int level : 4;
  double position, speed;
} Body;
double f(double* x) {
  Body b[4] = {0};
  for (int i = 0; i < 4; i++) {
    b[i].fixed = i == 2;
    b[i].group = i % 3;
    b[i].level = -i;
    b[i].position = x[i % 3];
    b[i].speed = x[(i + 1) % 3];
  }
  for (int step = 0; step < 3; step++)
    for (int i = 0; i < 4; i++) {
      if (b[i].fixed) continue;
      b[i].speed -= 0.1 * b[i].position * (1 + b[i].group);
      b[i].position += 0.1 * b[i].speed;
      b[i].level++;
    }
  double s = 0;
  for (int i = 0; i < 4; i++) s += b[i].position * b[i].position * (2 + b[i].level);
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
