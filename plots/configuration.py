"""The configuration that measures a table's or figure's rows: `make figure-F3`, `make table-T7`.

python -m plots.configuration F3        # config/scaling.yaml
"""

from __future__ import annotations

import argparse

from .shown import SHOWN


def configuration_of(code: str) -> str:
    """The path of the configuration, relative to the checkout's root; ValueError if the code is
    unknown."""
    found = next((shown for shown in SHOWN if shown.code == code), None)
    if found is None:
        codes = ", ".join(dict.fromkeys(shown.code for shown in SHOWN))
        raise ValueError(f"there is no {code}; the report has {codes}")
    return f"config/{found.config}.yaml"


def main() -> None:
    """Print the configuration's path."""
    parser = argparse.ArgumentParser(prog="python -m plots.configuration")
    parser.add_argument("code", help="such as F3")
    given = parser.parse_args()
    try:
        print(configuration_of(given.code))
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
