// Ctrl-C and other signals while a compiled program runs.
#include "acrobat/python/signals.h"

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace acrobat {

bool signal_arrived() {
  const PyGILState_STATE state = PyGILState_Ensure();
  const bool raised = PyErr_CheckSignals() != 0;
  PyGILState_Release(state);
  return raised;
}

}  // namespace acrobat
