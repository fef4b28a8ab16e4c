// The run time of OpenMP with one thread, for programs that are not linked to it.
#include <stdarg.h>
typedef void (*F)(int*, int*, ...);
__attribute__((noinline)) void __kmpc_fork_call(void* l, int n, F f, ...) {
  void* a[8] = {0};
  va_list v;
  va_start(v, f);
  for (int i = 0; i < n && i < 8; i++) a[i] = va_arg(v, void*);
  va_end(v);
  int z = 0;
  f(&z, &z, a[0], a[1], a[2], a[3], a[4], a[5]);
}
#define INIT(k, T)                                                                                      \
  void __kmpc_for_static_init_##k(void* l, int g, int s, int* last, T* lo, T* up, T* st, T inc, T ch) { \
    *last = 1;                                                                                          \
    *st = *up - *lo + inc;                                                                              \
  }
INIT(4, int) INIT(8, long) INIT(4u, unsigned) INIT(8u, unsigned long) static int more;
static int lo_, up_;
void __kmpc_dispatch_init_4(void* l, int g, int s, int lo, int up, int st, int ch) {
  more = 1;
  lo_ = lo;
  up_ = up;
}
int __kmpc_dispatch_next_4(void* l, int g, int* last, int* lo, int* up, int* st) {
  *last = 1;
  *lo = lo_;
  *up = up_;
  *st = 1;
  int m = more;
  more = 0;
  return m;
}
void __kmpc_for_static_fini(void* l, int g) {}
void __kmpc_barrier(void* l, int g) {}
void __kmpc_critical(void* l, int g, void* c) {}
void __kmpc_end_critical(void* l, int g, void* c) {}
int __kmpc_single(void* l, int g) { return 1; }
void __kmpc_end_single(void* l, int g) {}
void __kmpc_dispatch_deinit(void* l, int g) {}
void __kmpc_dispatch_fini_4(void* l, int g) {}
int __kmpc_reduce_nowait(void* l, int g, int n, long s, void* d, void* f, void* k) { return 1; }
void __kmpc_end_reduce_nowait(void* l, int g, void* k) {}
int __kmpc_reduce(void* l, int g, int n, long s, void* d, void* f, void* k) { return 1; }
void __kmpc_end_reduce(void* l, int g, void* k) {}
int __kmpc_global_thread_num(void* l) { return 0; }
void __kmpc_push_num_threads(void* l, int g, int n) {}
