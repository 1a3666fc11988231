// Errors, as they are passed to Python (python/faults.h).
#pragma once

#include <stdexcept>

namespace acrobat {

struct InstanceFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct CapacityError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct StackOverflow : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// A device that is missing, or that refused something else than memory.
struct DeviceFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The handler of a signal raised an exception, which Python has.
struct Interrupted {};

}  // namespace acrobat
