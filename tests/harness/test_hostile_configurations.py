"""Files that are no configuration, values beyond all measure: a sentence, and never a traceback."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
import yaml

from acrobat.cli import main
from harness import pipeline
from harness.config import cells, load_config, name_of, validate
from harness.config_file import ConfigError

GOOD = """\
device: cpu
seed: 0
samples: 5
min_seconds: 0.1
max_seconds: 9
noisy_seconds: 0
timeout_s: 10
tolerance: 1.0e-4
systems: {acrobat: [off, full], floor: []}
ladder: [hoisting]
measure: [{workload: treelstm, sizes: [tiny], batches: [8], threads: [1, all]}]
""".replace("[off,", "['off',")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("timeout_s: 10", "timeout_s: .inf", "timeout_s: inf is no number that can be measured "
         "with; write a finite one"),
        ("timeout_s: 10", "timeout_s: 1.0e+300",
         "timeout_s: 1e+300 is greater than the maximum of 86400"),
        ("tolerance: 1.0e-4", "tolerance: .nan", "tolerance: nan is no number that can be "
         "measured with; write a finite one"),
        ("samples: 5", "samples: 5.0", "samples: 5.0 is not of type 'integer'"),
        ("samples: 5", "samples: true", "samples: True is not of type 'integer'; quote on, off, "
         "yes and no, which are truth values"),
        ("'off'", "off", "systems.acrobat[0]: False is not of type 'string'; quote on, off, yes "
         "and no, which are truth values"),
        ("[8]", "[1000000000000]",
         "measure[0].batches[0]: 1000000000000 is greater than the maximum of 1000000"),
        ("[8]", "[8, 16, 8]", "measure[0].batches: 8 is there twice"),
        ("[8]", str(list(range(1, 1003))), "measure[0].batches: 1002 values, at most 1000"),
        ("[1, all]", "[100000]", "measure[0].threads[0]: 100000: from 1 to 1024, or 'all'"),
        ("full]", "'../x']", "systems.acrobat[1]: '../x' does not match "
         "'^[A-Za-z0-9][A-Za-z0-9_.,=+-]*$'"),
        ("device", 'name: "a\\n"\ndevice', "name: 'a\\n' does not match "
         "'^[A-Za-z0-9][A-Za-z0-9_.-]*$'"),
        ("floor", "null", "systems: None does not exist; there is acrobat, dynet, cortex, "
         "torch_eager, torch_batched, torch_compile, jax_vmap, jax_levels, torchfold, dgl, tfp, "
         "floor."),
        ("[8]", f"[{', '.join(map(str, range(1, 1001)))}]", ""),
    ],
)  # fmt: skip
def test_values(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD.replace(old, new, 1))
    if not message:
        assert len(cells(load_config(path))) == 2000
        return
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert str(caught.value) == f"{path}: {message}"


def test_too_many_cells() -> None:
    config = yaml.safe_load(GOOD)
    entry = config["measure"][0] | {"batches": list(range(1, 1001))}
    with pytest.raises(ConfigError) as caught:
        validate({**config, "measure": [entry] * 6})
    assert str(caught.value) == "measure: 12000 cells; at most 10000"


_BOMB = "a: &a [1, 1]\nb: &b [*a, *a]\nmeasure: [*b, *b]\n"


@pytest.mark.parametrize(
    ("content", "where", "message"),
    [
        (b"", "", "the configuration: None is not of type 'object'"),
        (b"- 1\n", "", "the configuration: [1] is not of type 'object'"),
        (b"a:\n\t- b\n", ":2:1", "no YAML: found character '\\t' that cannot start any token"),
        (b"a: [1\n", ":2:1", "no YAML: expected ',' or ']', but got '<stream end>'"),
        (b"a: 1\n\xff\xfe", ":2", "not UTF-8; save it as UTF-8"),
        (b"a: \x00\n", "", 'no YAML: unacceptable character #x0000: special characters are not '
         'allowed in "<unicode string>", position 3'),
        (_BOMB.encode(), ":2:8", "the alias *a; write out what it is"),
        (b"seed: 0\nseed: 1\n", ":2:1", "the key 'seed' is there twice"),
        (b"a: 2020-13-45\n", "", "a value cannot be read: month must be in 1..12"),
        (b"a: !!python/object/apply:os.system [ls]\n", ":1:4", "no YAML: could not determine a "
         "constructor for the tag 'tag:yaml.org,2002:python/object/apply:os.system'"),
        (b"[" * 5000, ":1:21", "nested too deeply; this is no configuration"),
        (b"#" * (1 << 21), "", "over 1 MiB; this is no configuration"),
    ],
)  # fmt: skip
def test_files(
    content: bytes, where: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(content)
    assert main(["bench", "--config", str(path)]) == 2
    assert capsys.readouterr().err == f"acrobat bench: {path}{where}: {message}\n"


def test_what_is_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    advice = "name a configuration, such as config/quick.yaml"
    for path, why in ((tmp_path, "Is a directory"), (tmp_path / "x", "No such file or directory")):
        assert main(["bench", "--config", str(path)]) == 2
        said = capsys.readouterr().err
        assert said == f"acrobat bench: {path}: cannot be read ({why}); {advice}\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x92\xff", ":1: not UTF-8; save it as UTF-8"),
        (b"a: [1", ":1:6: no YAML: expected ',' or ']', but got '<stream end>'"),
        (b'__use_yte__: true\na: ?open("ran", "w")\n', ": the configuration: unknown key "
         "'__use_yte__'; the keys are "),
        (None, ": cannot be read (Is a directory); name a configuration, such as "),
    ],
)  # fmt: skip
def test_before_snakemake_reads_it(
    content: bytes | None,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What Snakemake would run, or end in a traceback of, does not get there."""
    started: list[list[str]] = []
    monkeypatch.setattr("os.execv", lambda program, words: started.append(words))
    monkeypatch.chdir(tmp_path)
    good, path = tmp_path / "good.yaml", tmp_path / "mine.yaml"
    good.write_text(GOOD)
    path.mkdir() if content is None else path.write_bytes(content)
    for words in (["--configfile", str(good), str(path)], [f"--configfiles={path}"]):
        assert pipeline.main(["--cores", "all", *words, "--dry-run"]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"harness.pipeline: {path}{message}") and said.count("\n") == 1
    assert started == [] and not Path("ran").exists()
    words = ["--cores", "all", "target", "--configfile", str(good)]
    pipeline.main(words)
    assert started[0][1:] == ["-m", "snakemake", *words]


def test_a_file_s_name_becomes_a_folder_s() -> None:
    with pytest.raises(ConfigError) as caught:
        name_of({}, Path("a b;c.yaml"))
    assert str(caught.value) == (
        "name: 'a b;c' does not match '^[A-Za-z0-9][A-Za-z0-9_.-]*$': the file gives no other name "
        "to its results"
    )


def test_flags_have_the_same_limits(capsys: pytest.CaptureFixture[str]) -> None:
    for flags, message in (
        (["--batch", "1000000000000"],
         "measure[0].batches[0]: 1000000000000 is greater than the maximum of 1000000"),
        (["--seconds", "nan"],
         "min_seconds: nan is no number that can be measured with; write a finite one"),
        (["--threads", "100000"], "measure[0].threads[0]: 100000: from 1 to 1024, or 'all'"),
    ):  # fmt: skip
        assert main(["bench", *flags]) == 2
        assert capsys.readouterr().err == f"acrobat bench: {message}\n"


# What a slip of the keyboard, or malice, puts in the place of a value.
_VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 8.0, 10**12, 10**400, float("nan"), float("inf"), 1e300, "", "all", "a b",
    "../x", "$(ls)", "<script>", "\\input{x}", "x" * 10_000, "\0", "ä", [], {}, [[]], {"a": 1},
    [None], {None: None}, {1: 2}, [1] * 5000, ["full"] * 2, b"x",
)  # fmt: skip


def _mutated(value: Any, rng: random.Random) -> Any:
    """The value with something replaced, left out, doubled or added somewhere in it."""
    if not isinstance(value, (dict, list)) or not value or rng.random() < 0.2:
        return copy.deepcopy(rng.choice(_VALUES))
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
    key: Any = rng.choice(keys)
    changed: Any = copy.copy(value)
    match rng.randrange(6):
        case 0:
            del changed[key]
        case 1 if isinstance(changed, list):
            changed.append(copy.deepcopy(rng.choice([*changed, *_VALUES])))
        case 1:
            changed[rng.choice([None, 1, True, "x", "name", "a.b", (1, 2)])] = rng.choice(_VALUES)
        case _:
            changed[key] = _mutated(value[key], rng)
    return changed


def test_random_configurations() -> None:
    """Each is valid, with cells that can be counted, or a sentence."""
    good, outcomes = yaml.safe_load(GOOD), set()
    rng = random.Random(22)
    for _ in range(600):
        config = _mutated(good, rng)
        for _ in range(rng.randrange(3)):
            config = _mutated(config, rng)
        try:
            validate(config)
            assert len(cells(config)) <= 10_000
            json.dumps(config, allow_nan=False)
            outcomes.add("valid")
        except ConfigError as error:
            assert len(str(error)) < 2000 and "Traceback" not in str(error)
            outcomes.add(str(error).split(":")[-1])
    assert "valid" in outcomes and len(outcomes) > 30
