// Allocation that fails when it is told to, for tests: loaded before the C library's (LD_PRELOAD).
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

static atomic_long left = -1, times = 0;

// Allocation number `after` from now on fails, and the `count` - 1 that follow; -1: none does.
void fail_allocations(long after, long count) {
  atomic_store(&times, count);
  atomic_store(&left, after);
}

static int fails(void) {
  if (atomic_load(&left) < 0) return 0;
  if (atomic_fetch_sub(&left, 1) > 0) return 0;
  // It stays at zero for as long as there are failures left.
  atomic_store(&left, atomic_fetch_sub(&times, 1) > 1 ? 0 : -1);
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void* calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void* realloc(void* at, size_t n) { return fails() ? NULL : __libc_realloc(at, n); }
void* memalign(size_t to, size_t n) { return fails() ? NULL : __libc_memalign(to, n); }
void* aligned_alloc(size_t to, size_t n) { return memalign(to, n); }
int posix_memalign(void** at, size_t to, size_t n) {
  void* made = memalign(to, n);
  if (made == NULL) return ENOMEM;
  *at = made;
  return 0;
}
