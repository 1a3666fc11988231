"""What people write without hints and types in mind: sets, queues, comparisons of tensors kept as
truth values, recursion without a hint for its result, functions that change what they are given."""

from __future__ import annotations

from .draw import Draw, Scope
from .expressions import expression
from .statements import assign, assigns, statement


@statement("simple")
def _set(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """What has been seen of a list."""
    if not s.of("ints") or not s.assignable("int"):
        assign(d, s, pad)
        return
    seen, x, n = (next(d.names) for _ in range(3))
    xs, target = d.one(s.of("ints")), d.one(s.assignable("int"))
    some = f"({expression(d, s, 'int', 1)}) % 5"
    made = d.one(
        ("set()", f"{{{some}}}", f"{{{x} % 4 for {x} in {xs}}}", f"set([{x} % 3 for {x} in {xs}])")
    )
    d.put(pad, f"{seen} = {made}")
    d.put(pad, f"{n} = 0")
    d.put(pad, f"for {x} in {xs}:")
    d.put(pad, f"    if {x} % 5 {d.one(('in', 'not in'))} {seen}:")
    d.put(pad, f"        {n} += {d.choose.randrange(1, 4)}")
    changes = (
        f"{seen}.add({x} % 5)",
        f"{seen}.discard({some})",
        f"{seen}.update([{x} % 6, 1])",
        f"{seen} |= {{{x} % 3, {some}}}",
    )
    for change in d.choose.sample(changes, d.choose.randrange(1, 4)):
        d.put(pad, f"    {change}")
    ends = (f"sum({seen})", f"sorted({seen})[-1] if {seen} else 2", f"max({seen}) if {seen} else 0")
    d.put(pad, f"{target} = ({n} + len({seen}) + ({d.one(ends)})) % 7")


@statement("simple")
@assigns("int")
def _heap(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """Pairs in a heap, some of which are taken out."""
    heap, taken, x = (next(d.names) for _ in range(3))
    target, size = d.one(s.assignable("int")), d.choose.randrange(2, 7)
    inner = s.plus("int", x)
    d.put(pad, f"{heap}, {taken} = [], []")
    d.put(pad, f"for {x} in range({size}):")
    first = f"({expression(d, inner, 'int', 1)}) % 4"
    d.put(pad, f"    heapq.heappush({heap}, ({first}, {d.one((x, f'-{x}', f'{x} % 2'))}))")
    if d.chance(0.5):
        d.put(pad, f"{taken}.append(heapq.heapreplace({heap}, ({size}, 2))[0])")
    d.put(pad, f"while {heap} and len({taken}) < {d.choose.randrange(1, 6)}:")
    d.put(pad, f"    {taken}.append(heapq.heappop({heap})[{d.choose.randrange(2)}])")
    order = f"sum(i * a for i, (a, _) in enumerate({heap}))"
    d.put(pad, f"{target} = (sum({taken}) + {order}) % 7")


@statement("simple")
@assigns("int")
def _queue(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """Numbers in a queue, which are used up."""
    queue, n, x = (next(d.names) for _ in range(3))
    target = d.one(s.assignable("int"))
    first = f"({expression(d, s, 'int', 1)}) % 5"
    d.put(pad, f"{queue} = collections.deque({d.one(('', f'[{first}]', f'[2, {first}]'))})")
    d.put(pad, f"{queue}.{d.one(('append', 'appendleft'))}(3)")
    d.put(pad, f"{n} = 0")
    d.put(pad, f"while {queue} and {n} < {d.choose.randrange(3, 9)}:")
    d.put(pad, f"    {x} = {queue}.{d.one(('pop', 'popleft', 'popleft'))}()")
    d.put(pad, f"    {n} += 1")
    d.put(pad, f"    if {x} > 0:")
    d.put(pad, f"        {queue}.{d.one(('append', 'appendleft'))}({x} - 1)")
    if d.chance(0.5):
        d.put(pad, f"        {queue}.extend([{x} - 1, {first}][:{n} % 3])")
    d.put(pad, f"{target} = ({n} + sum({queue}) + len({queue})) % 7")


@statement("simple")
@assigns("vector")
def _kept(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A comparison of tensors that a loop goes by."""
    more, n, h = next(d.names), next(d.names), d.one(s.assignable("vector"))
    test = f"{h}[{d.one((0, -1))}] {d.one('<>')} {d.one(('0.0', '0.25'))}"
    d.put(pad, f"{more} = {d.one(('True', expression(d, s, 'bool', 1)))}")
    d.put(pad, f"{n} = 0")
    d.put(pad, f"while {more} and {n} < 3:")
    d.put(pad, f"    {h} = ops.tanh({expression(d, s, 'vector', 1)})")
    d.put(pad, f"    {n} += 1")
    chosen = (test, f"{test} if {n} < 2 else False", f"not ({test})")
    d.put(pad, f"    {more} = {d.one(chosen)}")


def collecting(d: Draw) -> str:
    """A function that visits a tree and changes a list and a dict; a statement that calls it, with
    the places `{target}`, `{total}` and `{tree}`."""
    visit, t, found, counts, h, child = (next(d.names) for _ in range(6))
    s = Scope({"vector": (h,)})
    d.put("", "")
    d.put("", "")
    d.put("", "@ab.model")
    hints = d.one(("", ": list")), d.one(("", ": dict", ": dict[str, int]"))
    d.put("", f"def {visit}(p: P, {t}: Tree, {found}{hints[0]}, {counts}{hints[1]}):")
    d.put("    ", f"if isinstance({t}, Leaf):")
    d.put("        ", f'{counts}["leaf"] = {counts}.get("leaf", 0) + 1')
    d.put("        ", f"return {t}.x")
    d.put("    ", f"if isinstance({t}, Many):")
    d.put("        ", f"{h} = p.b * {t}.scale")
    d.put("        ", f"for {child} in {t}.children:")
    d.put("        ", f"    {h} = ops.tanh({h} + {visit}(p, {child}, {found}, {counts}))")
    d.put("    ", "else:")
    both = f"{visit}(p, {t}.left, {found}, {counts}) {d.one('+-*')} "
    d.put("        ", f"{h} = ops.tanh({both}{visit}(p, {t}.right, {found}, {counts}))")
    d.put("    ", f"{found}.append(ops.tanh({expression(d, s, 'vector', 1)}))")
    if d.chance(0.4):
        d.put("    ", f"if len({found}) > 3:")
        d.put("        ", f"{found}.pop({d.one(('', '0'))})")
    d.put("    ", f"return {h}")
    states, table, x = (next(d.names) for _ in range(3))
    return "\n".join(
        (
            f"{states} = []",
            f'{table} = {{{{"leaf": 0}}}}',
            f"{x} = {visit}(p, {{tree}}, {states}, {table})",
            f"{{target}} = ops.tanh(sum({states}, {x}))",
            f'{{total}} = ({{total}} + len({states}) + {table}["leaf"]) % 7',
        )
    )


@statement("simple")
def _collected(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """What a function has found in a tree."""
    places = s.of("tree"), s.assignable("vector"), s.assignable("int")
    if not d.collecting or not all(places):
        assign(d, s, pad)
        return
    tree, target, total = map(d.one, places)
    text = d.one(d.collecting).format(tree=tree, target=target, total=total)
    for line in text.splitlines():
        d.put(pad, line)
