"""From Python source to the typed IR, with errors that say what to write instead."""
