// Asks for every kind of derivative of `double f(double *x)`, and compares all with differences, and each other.
#pragma once
#include "check.h"

// How well the modes must agree; programs that compute with `float` say it themselves.
#ifndef ADJOINT
#define ADJOINT 1e-12
#endif
#define AGREE(got, wanted) compare(__LINE__, got, wanted, ADJOINT)

#ifdef __cplusplus
extern "C" {
#endif
typedef struct {
  double first, second;
} Two;
extern double __enzyme_autodiff(void*, ...);
extern double __enzyme_fwddiff(void*, ...);
extern Two __enzyme_fwddiff_two(void*, ...);
extern void __enzyme_autodiff_two(void*, ...);
extern void* __enzyme_augmentfwd(void*, ...);
extern void __enzyme_reverse(void*, ...);
#ifdef __cplusplus
}
#endif

// Richardson's extrapolation of central differences.
#define SLOPE(expression, variable, step) \
  ((4 * DIFFERENCE(expression, variable, (step) / 2) - DIFFERENCE(expression, variable, step)) / 3)

// The same twice, in the order that NESTING names: 1 forward over forward, 2 reverse over forward, 3 forward over
// reverse, 4 reverse over reverse. `along` and `gradient` are functions of the file for `f`.
#ifdef NESTING
double f(double*);
static double along(double* x, double* t) { return __enzyme_fwddiff((void*)f, enzyme_dup, x, t); }
static void gradient(double* x, double* d) { __enzyme_autodiff((void*)f, enzyme_dup, x, d); }
// What is differenced; a file whose numbers are of single precision in between gives a gradient that is exact.
#define GRADIENT gradient
#define CHECK_MODES(f, count, ...)                                                                     \
  {                                                                                                    \
    double x[count] = {__VA_ARGS__}, t[count], u[count], above[count] = {0}, below[count] = {0};       \
    double got = 0, wanted = 0, second[count] = {0}, unused[count] = {0};                              \
    for (int i = 0; i < count; i++) t[i] = 1 - 0.3 * i, u[i] = 0.5 + 0.1 * i * i, x[i] += 1e-5 * u[i]; \
    GRADIENT(x, above);                                                                                \
    for (int i = 0; i < count; i++) x[i] -= 2e-5 * u[i];                                               \
    GRADIENT(x, below);                                                                                \
    for (int i = 0; i < count; i++) {                                                                  \
      wanted += t[i] * (above[i] - below[i]) / 2e-5;                                                   \
      x[i] += 1e-5 * u[i];                                                                             \
    }                                                                                                  \
    if (NESTING == 1) got = __enzyme_fwddiff((void*)along, enzyme_dup, x, u, enzyme_const, t);         \
    if (NESTING == 2) __enzyme_autodiff((void*)along, enzyme_dup, x, second, enzyme_const, t);         \
    if (NESTING == 3) __enzyme_fwddiff((void*)gradient, enzyme_dup, x, u, enzyme_dup, unused, second); \
    if (NESTING == 4) __enzyme_autodiff((void*)gradient, enzyme_dup, x, second, enzyme_dup, unused, t); \
    for (int i = 0; i < count; i++) got += second[i] * (NESTING == 3 ? t[i] : u[i]);                   \
    compare(__LINE__, got, wanted, 1e-5);                                                              \
  }
#else
#define CHECK_MODES(f, count, ...)                                                      \
  {                                                                                     \
    double x[count] = {__VA_ARGS__}, slope[count];                                      \
    for (int i = 0; i < count; i++) slope[i] = SLOPE(f(x), x[i], 1e-4);                 \
    double reverse[count] = {0}, split[count] = {0}, a[count] = {0}, b[count] = {0};    \
    __enzyme_autodiff((void*)f, enzyme_dup, x, reverse);                                \
    void* tape = __enzyme_augmentfwd((void*)f, enzyme_dup, x, split);                   \
    __enzyme_reverse((void*)f, enzyme_dup, x, split, 2.0, tape);                        \
    __enzyme_autodiff_two((void*)f, enzyme_width, 2, enzyme_dup, x, a, b);              \
    double along = 0, both = 0, across = 0, also = 0;                                   \
    double t[count], u[count];                                                          \
    for (int i = 0; i < count; i++) {                                                   \
      EQUAL(reverse[i], slope[i]);                                                      \
      AGREE(split[i], 2 * reverse[i]);                                                  \
      AGREE(a[i], reverse[i]);                                                          \
      AGREE(b[i], reverse[i]);                                                          \
      t[i] = 1 - 0.3 * i, u[i] = 0.5 + 0.1 * i * i;                                     \
      along += t[i] * slope[i];                                                         \
      both += u[i] * slope[i];                                                          \
      across += t[i] * reverse[i], also += u[i] * reverse[i];                           \
    }                                                                                   \
    double ahead = __enzyme_fwddiff((void*)f, enzyme_dup, x, t);                        \
    EQUAL(ahead, along);                                                                \
    AGREE(ahead, across);                                                               \
    Two two = __enzyme_fwddiff_two((void*)f, enzyme_width, 2, enzyme_dup, x, t, u);     \
    EQUAL(two.second, both);                                                            \
    AGREE(two.first, across);                                                           \
    AGREE(two.second, also);                                                            \
  }
#endif
