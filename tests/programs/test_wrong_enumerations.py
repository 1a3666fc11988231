"""What is wrong with members of enumerations, in instances and in models."""

from __future__ import annotations

import enum
from typing import Any

import pytest

import acrobat as ab
from acrobat import Float32, Tensor
from tests.programs.test_enumerations import Action, Kind, Node, P, data, pairs, up


@pytest.mark.parametrize("executor", ["aot", "vm"])
@pytest.mark.parametrize(
    ("kind", "actions", "said"),
    [
        ("leaf", [], "instances[1].kind: expected a member of Kind, got str ('leaf')"),
        (Action.SHIFT, [], "instances[1].kind: expected a member of Kind, got Action"),
        (None, [], "instances[1].kind: expected a member of Kind, got NoneType (None)"),
        (Kind.SUM, [3], "instances[1].actions[0]: expected a member of Action, got int (3)"),
    ],
)
def test_other_values(executor: Any, kind: Any, actions: Any, said: str) -> None:
    p, instances = data()
    fast = ab.compile(pairs, p, options=ab.Options(executor=executor))
    with pytest.raises(ab.InstanceError) as error:
        fast([instances[0], Node(kind, 0, [], actions, None, [], {})])
    assert str(error.value) == said


@ab.model
def value_of_none(p: P, t: Node) -> Action:
    return Action(t.word)


@ab.model
def raises(p: P, t: Node) -> float:
    if t.kind is not Kind.SUM:
        raise ValueError(f"no {t.kind} {t.kind!r} {t.kind.name}")
    return 1.0


@ab.model
def not_in_table(p: P, t: Node) -> Float32[Tensor, "H"]:
    return ONE_STEP[t.actions[0]](p, p.emb[0])


ONE_STEP = {Action.SHIFT: up}


@pytest.mark.parametrize("executor", ["aot", "vm"])
@pytest.mark.parametrize(
    ("model", "said"),
    [
        (value_of_none, "ValueError: 5 is not a valid Action"),
        (raises, "ValueError: no Kind.LEAF <Kind.LEAF: 'leaf'> LEAF"),
        (not_in_table, "KeyError: ONE_STEP has no key <Action.REDUCE: 7>"),
    ],
)
def test_messages(executor: Any, model: Any, said: str) -> None:
    p, _ = data()
    fast = ab.compile(model, p, options=ab.Options(executor=executor))
    with pytest.raises(ab.InstanceError) as error:
        fast([Node(Kind.LEAF, 5, [], [Action.REDUCE], None, [], {})])
    assert str(error.value) == f"instances[0]: {said}"


class Flags(enum.Flag):
    A = 1
    B = 2


class Same(enum.Enum):
    A = 1

    def __eq__(self, other: object) -> bool:
        return True


class Mixed(enum.Enum):
    A = 1
    B = "b"


class Fails(enum.Enum):
    A = 1
    B = 0

    @property
    def inverse(self) -> float:
        return 1.0 / self.value


@ab.data
class Others:
    mixed: Mixed
    fails: Fails
    action: Action


@ab.model
def of_flags(p: P, f: Flags) -> int:
    return 1


@ab.model
def own_equality(p: P, s: Same) -> int:
    return 1


@ab.model
def mixed_values(p: P, o: Others) -> Mixed:
    return Mixed(1)


@ab.model
def mixed_value(p: P, o: Others) -> int:
    return o.mixed.value


@ab.model
def property_fails(p: P, o: Others) -> float:
    return o.fails.inverse


@ab.model
def no_such_field(p: P, o: Others) -> float:
    return o.action.cost  # type: ignore[attr-defined]


@ab.model
def not_covered(p: P, o: Others) -> float:  # type: ignore[return]
    match o.action:
        case Action.SHIFT:
            return 1.0


@ab.model
def with_its_value(p: P, o: Others) -> bool:
    return o.action == 3  # type: ignore[comparison-overlap]


@ab.model
def ordered(p: P, o: Others) -> bool:
    return o.action < Action.REDUCE  # type: ignore[operator]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (
            of_flags,
            "AC004: the hint of 'f': Flags is no enumeration of members that are compared by "
            "identity",
        ),
        (
            own_equality,
            "AC004: the hint of 's': Same is no enumeration of members that are compared by "
            "identity",
        ),
        (mixed_values, "AC002: Mixed has values of other types than int alone, or str alone"),
        (mixed_value, "AC021: mixed_value returns int | str, but its hint says int"),
        (property_fails, "AC014: Fails.B.inverse: ZeroDivisionError: float division by zero"),
        (no_such_field, "AC014: a member of Action has no field 'cost'"),
        (not_covered, "AC005: match over Action does not cover Action.REDUCE"),
        (with_its_value, "AC027: a comparison of Action and int"),
        (ordered, "AC027: a comparison of Action and Action"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_refused(model: Any, said: str) -> None:
    p, _ = data()
    with pytest.raises(ab.ModelError) as error:
        ab.compile(model, p)
    assert said in str(error.value)
