// Pieces of work of about equal duration, for all threads of a job.
#pragma once

#include "../cpu/thread_pool.h"

namespace acrobat {

struct Even {
  int n, threads, at_once = 1, least = 1;
  int chunks(int owner) const { return (n * (owner + 1)) / threads - (n * owner) / threads; }
  int chunks() const { return n; }
  int first(int owner) const { return (n * owner) / threads; }
};

template <class F>
void each(Worker& worker, int n, F&& f) {
  const Even parts{n, worker.threads()};
  worker.run_partitioned(parts, [&](int owner, Chunks some) {
    for (int i = some.first; i < some.last; i++) f(parts.first(owner) + i);
  });
}

}  // namespace acrobat
