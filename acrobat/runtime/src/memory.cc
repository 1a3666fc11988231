// How much memory there is. Linux grants any request and kills the process when pages run out, so
// large needs are compared with what is free before they are touched.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

#include "acrobat/schedule/arena.h"

namespace acrobat {

// Bytes that the system can still give, of its own memory and of the process's control group; the
// largest number where nothing is known.
static int64_t free_memory() {
  int64_t least = std::numeric_limits<int64_t>::max();
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  for (int64_t kib; meminfo >> key >> kib; meminfo.ignore(256, '\n')) {
    if (key == "MemAvailable:") least = kib << 10;
  }
  int64_t limit, used;
  std::ifstream max("/sys/fs/cgroup/memory.max"), current("/sys/fs/cgroup/memory.current");
  if (max >> limit && current >> used) least = std::min(least, limit - used);
  return least;
}

// Small needs are not looked at: asking takes longer than they do.
void require_memory(int64_t bytes, const char* what) {
  if (bytes < int64_t{64} << 20) return;
  int64_t free = free_memory();
  if (bytes <= free) return;
  throw CapacityError("the mini-batch needs " + std::to_string(bytes >> 20) + " MiB more for " +
                      what + ", and " + std::to_string(free >> 20) +
                      " MiB are free; pass fewer instances per call");
}

}  // namespace acrobat
