"""Types from examples: hints that the author of a model has not written, or not as complete types,
from what a few instances have.

    @dataclass
    class Word:                                class Word:
        id: int                          ->        id: int
        vec: np.ndarray                            vec: Float32[Tensor, "E"]

    @ab.model
    def tag(p: Weights, words: list): ...      def tag(p: Weights, words: list[Word]): ...

Complete hints stay as they are. What examples do not show, such as a field that is None in all of
them, is not in a type; an instance that has it is refused like any that does not fit.
"""

from __future__ import annotations

import inspect
from typing import Any

from ..errors import InstanceError
from ..frontend.open_hints import leaves_open
from ..lang.hints import function_scope, resolve_hint
from ..lang.made_weights import is_made
from ..lang.model import Model, Told
from ..lang.params import sizes
from ..runtime.object_inputs import require_list
from ..runtime.place import Place
from .hints import Hints
from .kinds import EmptyError
from .observed import Item, Observed, observed


def with_examples(model: Model[..., Any], params: Any, examples: Any) -> Model[..., Any]:
    """`model` with the hints that examples and weights tell, if it lacks any. InstanceError for
    examples that no instance can be like."""
    names = list(inspect.signature(model.function).parameters)
    told: dict[str, Any] = {}
    if names and (is_made(params) or names[0] not in (*model.hints, "self")):
        told[names[0]] = type(params)
    if examples is None:
        before = model.told
        told = {**before.parameters, **told}
        return model.with_told(Told(told, before.fields)) if told else model
    items = _arguments(model, names[1:], examples)
    lacking = [n for n in names[1:] if _is_open(model, n)]
    try:
        found = _told(observed(items), lacking, params)
    except EmptyError as error:
        # What is empty may be data: that of a node without children, which others have.
        try:
            found = _told(observed(items, nested=1), lacking, params)
        except InstanceError:
            raise InstanceError(str(error)) from None
    told |= found.parameters
    return model.with_told(Told(told, found.fields)) if told or found.fields else model


def _told(found: Observed, lacking: list[str], params: Any) -> Told:
    """The hints of the parameters `lacking` one, and of the fields of classes."""
    hints = Hints(found, sizes(params))
    parameters = {name: hints.of((name,)) for name in lacking}
    fields = {cls: of for cls in found.classes if (of := hints.fields(cls)) is not None}
    return Told(parameters, fields)


def _arguments(model: Model[..., Any], names: list[str], examples: Any) -> list[Item]:
    """The values of the parameters `names` in the examples."""
    try:
        require_list(examples)
    except InstanceError as error:
        raise InstanceError(f"examples: {error}") from None
    if not examples:
        raise InstanceError("examples: an empty list tells no types; give a few instances")
    items: list[Item] = []
    for i, example in enumerate(model.whole(examples)):
        place = Place(None, i)
        if len(names) == 1:
            items.append((example, (names[0],), place))
            continue
        if not isinstance(example, tuple) or len(example) != len(names):
            given = f"a tuple of {len(example)}" if isinstance(example, tuple) else None
            raise InstanceError(
                f"examples[{i}]: expected a tuple ({', '.join(names)}), got "
                f"{given or type(example).__name__}"
            )
        parts = enumerate(zip(names, example, strict=True))
        items += [(v, (n,), Place(place, j)) for j, (n, v) in parts]
    return items


def _is_open(model: Model[..., Any], name: str) -> bool:
    """Whether a parameter has no hint, or one that is not a complete type."""
    if name not in model.hints:
        return True
    try:
        hint = resolve_hint(model.hints[name], function_scope(model.function, model.around()))
    except Exception:  # whatever the author's expression raises; the front end reports it
        return False
    return leaves_open(hint)
