#define ADJOINT 1e-5
#include "modes.h"
// Numbers at odd addresses, in records that are copied as bytes.
#pragma pack(push, 1)
typedef struct {
  char tag;
  double value;
  short weight;
  float small;
} Record;
#pragma pack(pop)
double f(double* x) {
  Record r[3], copy[3];
  for (int i = 0; i < 3; i++) r[i] = (Record){'a' + i, x[i] * x[i], i + 1, (float)0.5};
  memcpy(copy, r, sizeof r);
  copy[1].value *= copy[0].value;
  double s = 0;
  for (int i = 0; i < 3; i++) s += copy[i].value * copy[i].weight * copy[i].small * (copy[i].tag == 'a' ? 2 : 1);
  return s;
}
int main() {
  CHECK_MODES(f, 3, 0.5, -1, 0.7)
  FINISH
}
