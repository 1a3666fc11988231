// Whether Python has a pending signal to handle.
#pragma once

namespace acrobat {

// Runs the handlers of signals that have arrived, in the main thread, which must not have the GIL.
// True if one of them raised an exception, which is then set.
bool signal_arrived();

}  // namespace acrobat
