"""One specification, or a few, of every family of kernels, small enough for an interpreter."""

from __future__ import annotations

from hypothesis import strategies as st

from acrobat.kernels.specification.spec import Gate, Instr, KernelSpec, Matrix, Operand, Store, Term


def slot(n: int) -> int:
    """The next multiple of 16."""
    return -(-n // 16) * 16


def load(number: int, offset: int = 0, row_stride: int = 0, col_stride: int = 1) -> Instr:
    return Instr("load", (number, offset, row_stride, col_stride))


def cell(width: int, k: int, name: str = "cell") -> KernelSpec:
    """A tree cell: five gates over two children, whose own states the epilogue reads."""
    gates = tuple(
        Gate((Term(0, 0, k, 0, 0, g * width), Term(1, 0, k, 0, k, g * width))) for g in range(5)
    )
    code: list[Instr] = []
    for g, fn in enumerate(("sigmoid", "sigmoid", "sigmoid", "tanh", "sigmoid")):
        code += [Instr("acc", (g,)), Instr("load_shared", (0, g * width, 0, 1))]
        code += [Instr("add", (4 * g, 4 * g + 1)), Instr(fn, (4 * g + 2,))]
    i, left, right, u, o = (4 * g + 3 for g in range(5))
    code += [load(2), Instr("mul", (left, 20)), load(3, 1), Instr("mul", (right, 22))]
    code += [Instr("mul", (i, u)), Instr("add", (21, 23)), Instr("add", (24, 25))]
    code += [Instr("tanh", (26,)), Instr("mul", (o, 27))]
    return KernelSpec(
        name=name,
        width=width,
        record=2 * slot(width),
        operands=(
            *(Operand("gathered", k),) * 2,
            Operand("gathered", width),
            Operand("gathered", width + 1),
        ),
        weights=((2 * k, 5 * width),),
        vectors=(5 * width,),
        gates=gates,
        epilogue=tuple(code),
        stores=(Store(0, 26), Store(slot(width), 28)),
    )


def unlike_gates() -> KernelSpec:
    """Gates with different terms: shared ones, ones of their own, and of different lengths."""
    width, first, second = 20, 24, 37
    terms = (Term(0, 0, first, 0, 0, 0), Term(1, 2, second, 1, 3, 5))
    gates = (Gate(terms), Gate((Term(1, 2, second, 1, 0, 9),)), Gate((Term(2, 0, first, 0, 2, 4),)))
    code = [Instr("acc", (g,)) for g in range(3)] + [Instr("mul", (0, 1)), Instr("maximum", (3, 2))]
    return KernelSpec(
        name="unlike_gates",
        width=width,
        record=32,
        operands=(
            Operand("gathered_row", first),
            Operand("gathered", second + 2),
            Operand("self", first, 4),
        ),
        weights=((first + 5, width + 7), (second + 4, width + 12)),
        vectors=(),
        gates=gates,
        epilogue=tuple(code),
        stores=(Store(0, 4, place="scratch"),),
        scratch=32,
    )


def matrix_rows(rows: int) -> KernelSpec:
    """A matrix of token vectors times a weight, read transposed, plus a table of positions."""
    k, width = 12, 18
    return KernelSpec(
        name="matrix_rows",
        width=width,
        record=slot(rows * width),
        operands=(Operand("gathered", rows * k), Operand("scratch", rows, 16)),
        weights=((k, width),),
        vectors=(rows * width, width),
        gates=(Gate((Term(0, 0, k, 0, 0, 0, 1, rows),)),),
        epilogue=(
            Instr("acc", (0,)),
            Instr("load_shared", (0, 0, width, 1)),
            Instr("add", (0, 1)),
            load(1, 0, 1, 0),
            Instr("mul", (2, 3)),
            Instr("load_shared", (1, 3, 0, 0)),
            Instr("sub", (4, 5)),
        ),
        stores=(Store(0, 6, False, width),),
        rows=rows,
        scratch=16 + slot(rows),
    )


def own_matrix(rows: int, k: int, width: int) -> KernelSpec:
    """Two gates with matrices of the node's own, one of which lies in the scratch record."""
    size = slot(k * (width + 1))
    left = Term(0, 1, k, row_stride=k, matrix=Matrix(1, 2, width + 1))
    right = Term(0, 0, k, row_stride=0, matrix=Matrix(2, 0, width))
    return KernelSpec(
        name="own_matrix",
        width=width,
        record=slot(rows * width) + 16,
        operands=(
            Operand("gathered", rows * k + 1),
            Operand("gathered_row", k * (width + 1) + 2),
            Operand("scratch", size, 0),
        ),
        weights=(),
        vectors=(),
        gates=(Gate((left,)), Gate((left, right))),
        epilogue=(Instr("acc", (0,)), Instr("acc", (1,)), Instr("mul", (0, 1))),
        stores=(Store(16, 2, False, width),),
        rows=rows,
        scratch=size,
    )


def experts(rows: int, k: int, width: int, table_rows: int = 0) -> KernelSpec:
    """Two gates over two tables, one of whose matrices is wider than what is read, and the other
    read by columns, beside a weight that all nodes share, and a row of a table in the epilogue."""
    first = Term(0, 0, k, row_stride=k, matrix=Matrix(1, 2, width + 3))
    second = Term(0, 0, k, row_stride=k, matrix=Matrix(2, 0, 1, k))
    common = Term(0, 0, k, 0, 0, 0, row_stride=k)
    return KernelSpec(
        name=f"experts_{rows}_{width}",
        width=width,
        record=slot(rows * width),
        operands=(
            Operand("gathered", rows * k),
            Operand("gathered_row", k * (width + 3), rows=table_rows),
            Operand("gathered_row", k * width, rows=table_rows),
            Operand("gathered_row", width),
        ),
        weights=((k, width),),
        vectors=(),
        gates=(Gate((first, common)), Gate((second, first))),
        epilogue=(
            Instr("acc", (0,)),
            Instr("acc", (1,)),
            Instr("mul", (0, 1)),
            load(3),
            Instr("add", (2, 3)),
        ),
        stores=(Store(0, 4, False, width if rows > 1 else 0),),
        rows=rows,
    )


def heads(rows: int, count: int, size: int) -> KernelSpec:
    """Attention scores: `count` equal parts, each with a matrix of the node's own."""
    width = count * size
    gates = tuple(
        Gate((Term(0, h * size, size, row_stride=width, matrix=Matrix(1, h * size * rows, rows)),))
        for h in range(count)
    )
    code = [Instr("lit", (), 0.125)]
    for h in range(count):
        code += [Instr("acc", (h,)), Instr("mul", (len(code), 0))]
    return KernelSpec(
        name="heads",
        width=rows,
        record=slot(rows * count * rows),
        operands=(Operand("gathered", rows * width), Operand("gathered", rows * width)),
        weights=(),
        vectors=(),
        gates=gates,
        epilogue=tuple(code),
        stores=tuple(Store(h * rows, 2 + 2 * h, False, count * rows) for h in range(count)),
        rows=rows,
    )


def projections() -> KernelSpec:
    """Queries, keys and values: three parts with weights and a bias in another order."""
    rows, k, width = 5, 16, 20
    gates = tuple(Gate((Term(0, 0, k, 0, 0, c * width, k),)) for c in (0, 2, 1))
    code: list[Instr] = []
    for g, c in enumerate((0, 2, 1)):
        code += [Instr("acc", (g,)), Instr("load_shared", (0, c * width, 0, 1))]
        code.append(Instr("add", (3 * g, 3 * g + 1)))
    return KernelSpec(
        name="projections",
        width=width,
        record=3 * slot(rows * width),
        operands=(Operand("gathered", rows * k),),
        weights=((k, 3 * width),),
        vectors=(3 * width,),
        gates=gates,
        epilogue=tuple(code),
        stores=tuple(Store(g * slot(rows * width), 3 * g + 2, False, width) for g in range(3)),
        rows=rows,
    )


def wide(width: int, k: int, gates: int, rows: int = 1) -> KernelSpec:
    """`gates` products of one operand side by side, added up."""
    code = [Instr("acc", (0,))]
    for g in range(1, gates):
        code += [Instr("acc", (g,)), Instr("add", (len(code) - 1, len(code)))]
    return KernelSpec(
        name="wide",
        width=width,
        record=slot(rows * width),
        operands=(Operand("gathered", rows * k),),
        weights=((k, gates * width),),
        vectors=(),
        gates=tuple(Gate((Term(0, 0, k, 0, 0, g * width, k),)) for g in range(gates)),
        epilogue=tuple(code),
        stores=(Store(0, len(code) - 1, False, width),),
        rows=rows,
    )


def random_contraction(data: st.DataObject) -> KernelSpec:
    """Up to five gates of shared or own matrices, and a chain of point-wise code."""
    width = data.draw(st.sampled_from([1, 3, 16, 17, 32, 48]))
    rows = data.draw(st.sampled_from([1, 1, 3, 8]))
    inputs = [data.draw(st.sampled_from([1, 3, 20, 33])) for _ in range(2)]
    col = data.draw(st.integers(0, 9))
    own = data.draw(st.booleans())
    gates = []
    for _ in range(data.draw(st.integers(1, 5))):
        terms = []
        for i in data.draw(st.sampled_from([(0,), (1,), (0, 1), (1, 0)])):
            k = inputs[i]
            turned = data.draw(st.booleans())  # x read by columns: a transposed operand
            strides = (1, rows) if turned else (k, 1)
            if own and i == 1:
                terms.append(Term(i, 0, k, -1, 0, 0, *strides, Matrix(2, 2, width + 1)))
            else:
                terms.append(Term(i, 0, k, i, 0, col, *strides))
        gates.append(Gate(tuple(terms)))
    code: list[Instr] = []
    total = -1
    for g in range(len(gates)):
        code += [Instr("acc", (g,)), Instr("load_shared", (0, col, 0, 1))]
        code.append(Instr("add", (len(code) - 2, len(code) - 1)))
        fn = data.draw(st.sampled_from(["tanh", "sigmoid", "relu", "neg", "gelu", "abs"]))
        code.append(Instr(fn, (len(code) - 1,)))
        if total >= 0:
            code.append(Instr("mul", (len(code) - 1, total)))
        total = len(code) - 1
    padded = rows == 1 and data.draw(st.booleans())
    size = slot(rows * width)
    return KernelSpec(
        name="random",
        width=width,
        record=size,
        operands=(
            *(Operand("gathered", rows * k) for k in inputs),
            Operand("gathered", max(inputs) * (width + 1) + 2),
        ),
        weights=tuple((k, width + col) for k in inputs),
        vectors=(width + col,),
        gates=tuple(gates),
        epilogue=tuple(code),
        stores=(
            Store(0, total, padded, width),
            Store(0, 0, padded, width, place="scratch"),
        ),
        rows=rows,
        scratch=size,
    )
