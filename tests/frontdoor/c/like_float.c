#include "check.h"
extern float __enzyme_autodiff(void*, ...);
__attribute__((noinline)) float mysin(float x) { return x - x * x * x / 6 + x * x * x * x * x / 120; }
void* __enzyme_function_like_s[2] = {(void*)mysin, (void*)"sinf"};
float f(float x) { return mysin(x) * x; }
int main() {
  NEAR(__enzyme_autodiff((void*)f, .5f), sin(.5) + .5 * cos(.5));
  FINISH
}
