// Whether Python has a pending signal to handle.
#pragma once

namespace acrobat {

// Runs the handlers of signals that have arrived; called in the main thread, without the GIL.
// Returns true if one of them raised an exception, which is then set.
bool signal_arrived();

}  // namespace acrobat
