"""A tree made of another one: data as results."""

from __future__ import annotations

from .draw import Draw, Function, Scope
from .expressions import expression
from .functions import bounded, opened


def rebuilt(d: Draw) -> Function:
    """A function that makes one."""
    function = Function(next(d.names), ("tree", "int"), ("tree",))
    t, n = next(d.names), next(d.names)
    s = Scope(opened(d, function, [t, n]).names)
    f, (a, b, c, e) = function.name, (next(d.names) for _ in range(4))
    d.put("    ", f"match {t}:")
    d.put("        ", f"case Leaf({a}, {b}):")
    inner = s.plus("int", a).plus("vector", b)
    leaf = f"Leaf({expression(d, inner, 'int')}, {bounded(d, inner, 'vector')})"
    d.put("            ", f"return {d.one((leaf, leaf, t))}")
    d.put("        ", f"case Node({a}, {b}, {c}, {e}):")
    inner = s.plus("int", c).plus("bool", e)
    pair = [f"{f}(p, {a}, {n} + 1)", d.one((f"{f}(p, {b}, {expression(d, inner, 'int')})", b))]
    d.choose.shuffle(pair)
    node = f"Node({', '.join(pair)}, {expression(d, inner, 'int')}, {e})"
    many = f"Many([{', '.join(pair)}], 0.5)"
    d.put("            ", f"return {d.one((node, node, many))}")
    d.put("        ", f"case Many({a}, {b}):")
    d.put("            ", f"if {expression(d, s.plus('float', b), 'bool')}:")
    d.put("            ", f"    return {t}")
    part = d.one((a, f"{a}[1:]", f"{a}[::-1]"))
    d.put("            ", f"return Many([{f}(p, {c}, {e}) for {e}, {c} in enumerate({part})], {b})")
    return function
