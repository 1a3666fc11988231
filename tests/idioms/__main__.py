"""How many idioms are accepted, and that they agree with plain Python through compiled kernels.

python -m tests.idioms [SUBJECT ...]        1 if one does not
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from .agreement import compare, load_idiom, plain_results
from .cases import read_idioms


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("subjects", nargs="*", help="which files of tests/idioms; all if none")
    wanted = parser.parse_args().subjects
    idioms = [i for i in read_idioms() if not wanted or i.subject in wanted]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, idiom in enumerate(idioms):
            (place := Path(folder) / str(number)).mkdir()
            try:
                module = load_idiom(idiom, place, remedy=not idiom.accepted)
                compare(module, plain_results(module))
            except Exception as e:  # whatever it is, the others are tried
                wrong += 1
                print(f"{idiom.subject}: {idiom.name}: {type(e).__name__}: {e}")
    accepted = sum(i.accepted for i in idioms)
    print(f"{accepted} of {len(idioms)} idioms accepted, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
