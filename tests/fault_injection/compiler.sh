#!/bin/bash
# g++ as it is, but for the call number $FAULTY_CALL that compiles or links something.
case " $* " in *" -o "*) ;; *) exec "$REAL_COMPILER" "$@" ;; esac
[ -n "$FAULT" ] || exec "$REAL_COMPILER" "$@"
printf . >> "$FAULT_FOLDER/calls"
[ "$(stat -c %s "$FAULT_FOLDER/calls")" = "$FAULTY_CALL" ] || exec "$REAL_COMPILER" "$@"
touch "$FAULT_FOLDER/happened"
made="${@: -1}"
case "$FAULT" in
  killed) kill -9 $$ ;;
  hangs) sleep 600 ;;
  fails) echo "internal compiler error: injected" >&2; exit 1 ;;
  half) "$REAL_COMPILER" "$@"; head -c 100 "$made" > "$made.half"; mv "$made.half" "$made"; kill -9 $$ ;;
  nothing) exit 0 ;;
esac
