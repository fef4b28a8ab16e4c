// What the programs of this folder have in common: they compare derivatives with others, and print OK.
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
extern int enzyme_dup, enzyme_dupnoneed, enzyme_out, enzyme_const, enzyme_width, enzyme_dupv,
    enzyme_primal_return, enzyme_noret, enzyme_tape, enzyme_allocated, enzyme_nofree, enzyme_const_return,
    enzyme_active_return, enzyme_dup_return, enzyme_runtime_activity, enzyme_strong_zero, enzyme_vector,
    enzyme_scalar;
#ifdef __cplusplus
}
#endif

static int wrong = 0;

static void compare(int line, double got, double wanted, double tolerance) {
  if (!(fabs(got - wanted) <= tolerance * (1 + fabs(wanted)))) {
    wrong++;
    printf("line %d: %.12g, not %.12g\n", line, got, wanted);
  }
}

#define EQUAL(got, wanted) compare(__LINE__, got, wanted, 1e-5)
#define NEAR(got, wanted) compare(__LINE__, got, wanted, 3e-3)

// The central difference of an expression with respect to a variable in it.
#define DIFFERENCE(expression, variable, step)      \
  ({                                                \
    double *place = &variable, before = *place;     \
    *place = before + step;                         \
    double above = (expression);                    \
    *place = before - step;                         \
    double below = (expression);                    \
    *place = before;                                \
    (above - below) / (2 * step);                   \
  })

#define FINISH                      \
  {                                 \
    if (!wrong) printf("OK\n");     \
    fflush(stdout);                 \
    return wrong != 0;              \
  }
