// How much memory there is, and how much of it a call may take.
#include "acrobat/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "acrobat/errors.h"

namespace acrobat {

namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

// The most and the least that is taken between two checks of what is free.
constexpr int64_t kStep = int64_t{64} << 20, kLeastStep = int64_t{1} << 20;

// The free bytes, less a reserve for others: a fraction of the total.
int64_t but_for_a_reserve(int64_t free, int64_t total) {
  return free - std::min(total / 32, int64_t{512} << 20);
}

// The number behind a name in a file of lines "name number"; -1 if there is none.
int64_t entry(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::string key;
  for (int64_t value; file >> key >> value; file.ignore(256, '\n')) {
    if (key == name) return value;
  }
  return -1;
}

int64_t number_in(const std::string& path) {
  std::ifstream file(path);
  int64_t value;
  return file >> value ? value : -1;
}

// The free bytes of the machine.
int64_t free_of_system() {
  const int64_t free = entry("/proc/meminfo", "MemAvailable:");
  const int64_t total = entry("/proc/meminfo", "MemTotal:");
  if (free < 0 || total < 0) return kUnlimited;
  return but_for_a_reserve(free << 10, total << 10);
}

// The names that a control group's files have for its limit, for what it uses, and for the part of
// that which is files that the kernel drops when memory is short.
struct Names {
  const char *limit, *used, *inactive;
};

// The free bytes of a control group and of all that contain it; `path` is its path below `root`.
int64_t free_of_group(const std::string& root, std::string path, const Names& names) {
  int64_t least = kUnlimited;
  while (true) {
    const std::string folder = root + path + "/";
    const int64_t limit = number_in(folder + names.limit), used = number_in(folder + names.used);
    // Version 1 has a very large number for no limit, version 2 a word.
    if (limit >= 0 && used >= 0 && limit < kUnlimited / 2) {
      const int64_t files = std::max<int64_t>(entry(folder + "memory.stat", names.inactive), 0);
      least = std::min(least, but_for_a_reserve(limit - std::max<int64_t>(used - files, 0), limit));
    }
    if (path.empty() || path == "/") return least;
    path.resize(path.rfind('/'));
  }
}

// The free bytes of the control groups, of either version, that the process is in.
int64_t free_of_groups() {
  int64_t least = kUnlimited;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string which = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (which.empty()) {
      const Names names{"memory.max", "memory.current", "inactive_file"};
      least = std::min(least, free_of_group("/sys/fs/cgroup", path, names));
      least = std::min(least, free_of_group("/sys/fs/cgroup/unified", path, names));
    } else if (("," + which + ",").find(",memory,") != std::string::npos) {
      const Names names{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
      least = std::min(least, free_of_group("/sys/fs/cgroup/memory", path, names));
    }
  }
  return least;
}

int64_t free_memory() { return std::min(free_of_system(), free_of_groups()); }

std::string mib(int64_t bytes) {
  return std::to_string(std::max<int64_t>(bytes, 0) >> 20) + " MiB";
}

thread_local Budget* running = nullptr;

}  // namespace

int64_t addresses_left() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  const int64_t pages = number_in("/proc/self/statm");
  const int64_t used = std::max<int64_t>(pages, 0) * sysconf(_SC_PAGESIZE);
  return std::max<int64_t>(static_cast<int64_t>(limit.rlim_cur) - used, 0);
}

Budget::Budget(int64_t limit) : limit_(limit), outer_(running) { running = this; }
Budget::~Budget() { running = outer_; }

void Budget::allow(int64_t bytes, const char* what) const {
  if (limit_ == 0 || bytes <= limit_) return;
  throw CapacityError("the mini-batch needs more than the " + mib(limit_) +
                      " that Options.memory_mb allows, the last of it for " + what +
                      "; pass fewer instances per call, see whether every loop and recursion of "
                      "the model ends, or raise the option");
}

void Budget::look(int64_t bytes, const char* what, int64_t at_once) {
  taken_ += bytes;
  allow(taken_, what);
  at_once = std::max(bytes, at_once);
  if (taken_ < next_look_ && at_once < kStep) return;
  const int64_t free = free_memory();
  // What is taken before the next check must be available.
  next_look_ = taken_ + std::clamp(free / 4, kLeastStep, kStep);
  if (at_once <= free) return;
  throw CapacityError("the mini-batch needs " + mib(at_once) + " more for " + what + ", and " +
                      mib(free) +
                      " are free; pass fewer instances per call, or see whether every loop and "
                      "recursion of the model ends");
}

void take_memory(int64_t bytes, const char* what, int64_t at_once) {
  if (running != nullptr) running->look(bytes, what, at_once);
}

void require_allowed(int64_t bytes, const char* what) {
  if (running != nullptr) running->allow(bytes, what);
}

bool is_allowed(int64_t bytes) {
  return running == nullptr || running->limit_ == 0 || running->taken_ + bytes <= running->limit_;
}

}  // namespace acrobat
