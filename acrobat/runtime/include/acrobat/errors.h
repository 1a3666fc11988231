// The errors that are passed to Python (python/faults.h).
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
// A device is missing, or refused something other than memory.
struct DeviceFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The handler of a signal raised an exception, which is set in Python.
struct Interrupted {};

}  // namespace acrobat
