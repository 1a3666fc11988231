"""The shape of a configuration: config/schema/config.schema.yaml, and checks beyond a schema."""

from __future__ import annotations

import difflib
import functools
import importlib.util
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .config_file import ConfigError

SCHEMA = Path(__file__).resolve().parents[1] / "config" / "schema" / "config.schema.yaml"
# Length of a value in a message.
_CHARACTERS = 80


def check_shape(config: Any, required: bool = True, schema: Path = SCHEMA) -> None:
    """Raise ConfigError for the first key or value that the schema does not allow; keys may be
    missing unless `required` is set."""
    # A GPU machine without a network may lack the package: then only the essentials are checked.
    if importlib.util.find_spec("jsonschema") is None:
        _check_kinds(config, required)
        return
    errors = [
        e for e in _validator(schema).iter_errors(config) if required or e.validator != "required"
    ]
    if errors:
        raise ConfigError(_message(min(errors, key=lambda e: [str(part) for part in e.path])))


@functools.cache
def _validator(schema: Path) -> Any:
    import jsonschema
    import yaml

    draft = jsonschema.Draft202012Validator
    # JSON has neither NaN nor infinity, and JSON schemas accept 8.0 as an integer.
    kinds = draft.TYPE_CHECKER.redefine_many(
        {"integer": lambda _, value: _is_int(value), "number": lambda _, value: _is_number(value)}
    )
    checked: Any = jsonschema.validators.extend(draft, type_checker=kinds)  # type: ignore[no-untyped-call]
    return checked(yaml.safe_load(schema.read_text()))


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return _is_int(value) or (isinstance(value, float) and math.isfinite(value))


def _message(error: Any) -> str:
    path, value = _path(error.absolute_path) or "the configuration", error.instance
    match error.validator:
        case "additionalProperties":
            known = tuple(error.schema.get("properties", {}))
            unknown = next(k for k in value if k not in known)
            near = difflib.get_close_matches(str(unknown)[:100], known, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            return f"{path}: unknown key {short(unknown)}; the keys are {', '.join(known)}.{hint}"
        case "type" if isinstance(value, float) and not math.isfinite(value):
            return f"{path}: {value} is no number that can be measured with; write a finite one"
        case "maxItems" | "maxProperties":
            return f"{path}: {len(value)} values, at most {error.validator_value}"
        case "maxLength":
            most = error.validator_value
            return f"{path}: {short(value)} has {len(value)} characters, at most {most}"
        case "uniqueItems":
            twice = next(v for n, v in enumerate(value) if v in value[:n])
            return f"{path}: {short(twice)} is there twice"
        case "pattern":
            pattern = error.validator_value.removesuffix(r"\Z") + "$"
            return f"{path}: {short(value)} does not match {pattern!r}"
        case "anyOf":  # `threads`: a number is one alternative, the word "all" is the other.
            number, *_ = error.validator_value
            return f"{path}: {short(value)}: from 1 to {number['maximum']}, or 'all'"
    # YAML 1.1 reads these words as booleans.
    hint = "; quote on, off, yes and no, which are truth values" if isinstance(value, bool) else ""
    return f"{path}: {error.message.replace(repr(value), short(value))}{hint}"


def _path(parts: Iterable[object]) -> str:
    text = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in parts)
    return text.removeprefix(".")


def short(value: object) -> str:
    """A value as shown in a message."""
    text = repr(value)
    return text if len(text) <= _CHARACTERS else text[:_CHARACTERS] + "..."


def _check_kinds(config: Any, required: bool) -> None:
    """Check, without the schema, the kinds of values that later code relies on."""
    advice = "; `pip install jsonschema` says what exactly"
    if not isinstance(config, dict):
        raise ConfigError("the configuration: no mapping of keys to values")
    if not required:
        return
    kinds = {"device": str, "systems": dict, "measure": list, "seed": int, "samples": int}
    numbers = ("min_seconds", "timeout_s", "tolerance")
    wrong = [key for key, kind in kinds.items() if not isinstance(config.get(key), kind)]
    wrong += [key for key in numbers if not _is_number(config.get(key))]
    if wrong:
        raise ConfigError(f"{wrong[0]}: missing, or of the wrong kind{advice}")
    for i, entry in enumerate(config["measure"]):
        lists = ("sizes", "batches", "threads")
        if not isinstance(entry, dict) or not isinstance(entry.get("workload"), str):
            raise ConfigError(f"measure[{i}]: no cell{advice}")
        if not all(isinstance(entry.get(name), list) for name in lists):
            raise ConfigError(f"measure[{i}]: {', '.join(lists)} must be lists{advice}")
