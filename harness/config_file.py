"""Reading configuration files: YAML without the features that configurations have no use for.

Aliases (a few lines can expand to billions of values), duplicate keys (one is silently lost), and
files that are not configurations are errors that name the file and the line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

# In bytes; the largest of ours has 4 KiB.
_LARGEST = 1 << 20
# Nesting depth of mappings and lists; ours have 4.
_DEEPEST = 20


class ConfigError(ValueError):
    """A wrong key or value; the message names its path, what was given and what is allowed."""


def read_config(path: Path) -> Any:
    """The file's contents, not yet validated."""
    import yaml

    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be read ({error.strerror}); name a configuration, such as "
            f"config/quick.yaml"
        ) from error
    if len(data) > _LARGEST:
        raise ConfigError(f"{path}: over {_LARGEST >> 20} MiB; this is no configuration")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ConfigError(f"{path}:{line}: not UTF-8; save it as UTF-8") from error
    try:
        _look_at_structure(path, text)
        return yaml.safe_load(text)
    except ConfigError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise ConfigError(f"{path}{where}: no YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: no YAML: {' '.join(str(error).split())}") from error
    except (ValueError, OverflowError) as error:  # From an endless number, or a date.
        raise ConfigError(f"{path}: a value cannot be read: {error}") from error


def _look_at_structure(path: Path, text: str) -> None:
    """Raise ConfigError for an alias, a duplicate key in a mapping, or too deep nesting."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise _at(path, event.start_mark, "nested too deeply; this is no configuration")
        if isinstance(event, yaml.AliasEvent):
            raise _at(path, event.start_mark, f"the alias *{event.anchor}; write out what it is")
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    nodes = [root] if root else []
    while nodes:
        node = nodes.pop()
        if isinstance(node, yaml.SequenceNode):
            nodes += node.value
        elif isinstance(node, yaml.MappingNode):
            there: set[str] = set()
            for key, value in node.value:
                nodes += [key, value]
                if isinstance(key, yaml.ScalarNode):
                    if key.value in there:
                        raise _at(path, key.start_mark, f"the key {key.value!r} is there twice")
                    there.add(key.value)


def _at(path: Path, mark: Any, message: str) -> ConfigError:
    return ConfigError(f"{path}:{mark.line + 1}:{mark.column + 1}: {message}")
