/* The C library's memory functions, for LD_PRELOAD: what is fresh reads as NaN and what was freed as another NaN.

   As numbers both patterns are NaN in double and in single precision, as addresses they belong to nobody, as lengths
   they are huge.  Memory always moves when it grows. */

#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *__libc_malloc(size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static const uint64_t FRESH = 0x7ff4feed7fa5feedu, FREED = 0x7ff4dead7fa5deadu;

static void *filled(void *memory, uint64_t pattern) {
  if (memory != NULL) {
    uint64_t *words = memory;
    for (size_t i = 0, n = malloc_usable_size(memory) / sizeof *words; i < n; i++) words[i] = pattern;
  }
  return memory;
}

void *malloc(size_t size) { return filled(__libc_malloc(size), FRESH); }

void free(void *memory) {
  int before = errno;
  __libc_free(filled(memory, FREED));
  errno = before;
}

void *realloc(void *old, size_t size) {
  if (old == NULL) return malloc(size);
  if (size == 0) return free(old), NULL;
  void *memory = malloc(size);
  if (memory == NULL) return NULL;
  size_t had = malloc_usable_size(old);
  memcpy(memory, old, had < size ? had : size);
  free(old);
  return memory;
}

void *memalign(size_t alignment, size_t size) { return filled(__libc_memalign(alignment, size), FRESH); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **out, size_t alignment, size_t size) {
  void *memory = memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *out = memory;
  return 0;
}
