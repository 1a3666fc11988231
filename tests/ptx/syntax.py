"""PTX text to functions of instructions, as far as Triton's back end and `copy_runs.h` write it.

A function is a list of basic blocks. A block ends where control may leave it: at a label, a branch,
a CTA barrier, a call, and at what another thread block can see at once (an atomic, a load that
acquires or polls), where the scheduler takes its turn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_COMMENT = re.compile(r"//[^\n]*")
_FUNCTION = re.compile(
    r"(?P<kind>\.visible\s+\.entry|\.func)\s+(?P<name>[\w$]+)\s*\((?P<params>[^)]*)\)"
    r"\s*(?P<directives>(?:\.[a-z]+\s+[\d, ]+\s*)*)(?P<end>[{;])"
)
_PARAM = re.compile(r"\.param\s+\.(\w+)(?:\s+\.ptr\s+\.global\s+\.align\s+\d+)?\s+([\w$]+)\s*$")
_REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+(.*)", re.DOTALL)
_STATEMENT = re.compile(r"(?:@(!?)(%[\w$]+)\s+)?([a-z][\w.:]*)\s*(.*)", re.DOTALL)
_LABEL = re.compile(r"(\$?[\w$]+):")
# What others may see at once, or change: here a scheduler of thread blocks takes its turn.
_ORDERING = re.compile(
    r"atom\..*|red\..*|fence\..*|membar\..*|ld\.(?:.*\.)?(?:acquire|relaxed)\..*"
)
_CONTROL = re.compile(r"bra(\.uni)?|ret|exit|trap|call(\.uni)?|bar(rier)?\.(sync|cta).*")


class SyntaxError(Exception):
    """A text that is not understood."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. `predicate`: the register that guards it, or nothing."""

    opcode: str
    operands: tuple[str, ...]
    predicate: str = ""
    negated: bool = False

    def __str__(self) -> str:
        guard = f"@{'!' if self.negated else ''}{self.predicate} " if self.predicate else ""
        return f"{guard}{self.opcode} {', '.join(self.operands)}".rstrip()

    @property
    def ends_block(self) -> bool:
        """Whether control, or the scheduler, comes after it."""
        return bool(_CONTROL.fullmatch(self.opcode) or _ORDERING.fullmatch(self.opcode))


@dataclass(frozen=True, slots=True)
class Block:
    """Instructions that run one after the other; only the last may be one that ends a block."""

    instructions: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """`registers`: type by name. `params`: names and types. `threads`: of an entry's block, 0 in
    what is called. `labels`: numbers of blocks."""

    name: str
    params: tuple[tuple[str, str], ...]
    threads: int
    registers: dict[str, str]
    blocks: tuple[Block, ...]
    labels: dict[str, int]


@dataclass(slots=True)
class _Body:
    registers: dict[str, str] = field(default_factory=dict)
    blocks: list[list[Instruction]] = field(default_factory=lambda: [[]])
    labels: dict[str, int] = field(default_factory=dict)

    def label(self, name: str) -> None:
        if self.blocks[-1]:
            self.blocks.append([])
        self.labels[name] = len(self.blocks) - 1

    def add(self, instruction: Instruction) -> None:
        self.blocks[-1].append(instruction)
        if instruction.ends_block:
            self.blocks.append([])


def parse(text: str) -> dict[str, Function]:
    """The functions of a module by name. SyntaxError names a statement that is not understood."""
    text = _COMMENT.sub("", text).split("\t.section")[0]
    found: dict[str, Function] = {}
    for match in _FUNCTION.finditer(text):
        if match["end"] == ";":
            continue
        threads = re.search(r"\.reqntid\s+(\d+)", match["directives"])
        body = _body(text, match.end())
        found[match["name"]] = Function(
            match["name"],
            tuple(_param(p) for p in match["params"].split(",") if p.strip()),
            int(threads[1]) if threads else 0,
            body.registers,
            tuple(Block(tuple(b)) for b in body.blocks),
            body.labels,
        )
    return found


def _param(text: str) -> tuple[str, str]:
    match = _PARAM.match(text.strip())
    if match is None:
        raise SyntaxError(f"a parameter that is not understood: {text.strip()}")
    return match[2], match[1]


def _body(text: str, start: int) -> _Body:
    """From behind the opening brace of a function to its closing one."""
    body, depth, at = _Body(), 1, start
    while depth:
        at = re.compile(r"\s*").match(text, at).end()  # type: ignore[union-attr]
        if text[at] in "{}":
            depth += 1 if text[at] == "{" else -1
            at += 1
        elif label := _LABEL.match(text, at):
            body.label(label[1])
            at = label.end()
        elif directive := re.compile(r"\.(loc|file|pragma)[^\n]*").match(text, at):
            at = directive.end()
        else:
            end = text.index(";", at)
            _statement(" ".join(text[at:end].split()), body)
            at = end + 1
    return body


def _statement(text: str, body: _Body) -> None:
    if not text or text.startswith(".param"):
        return
    if match := _REGISTERS.fullmatch(text):
        for name in match[2].split(","):
            body.registers |= dict.fromkeys(_names(name.strip()), match[1])
        return
    match = _STATEMENT.fullmatch(text)
    if match is None:
        raise SyntaxError(f"a statement that is not understood: {text}")
    negated, predicate, opcode, operands = match.groups()
    body.add(Instruction(opcode, _operands(operands), predicate or "", bool(negated)))


def _names(declared: str) -> list[str]:
    """%r<3> declares %r0, %r1 and %r2."""
    match = re.fullmatch(r"(%[\w$]+)<(\d+)>", declared)
    return [f"{match[1]}{n}" for n in range(int(match[2]))] if match else [declared]


def _operands(text: str) -> tuple[str, ...]:
    """Operands, those in brackets whole; those of a call in its parentheses, one by one."""
    found, depth, begin = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "{[(") - (character in "}])")
        if character == "," and depth == 0:
            found.append(text[begin:at])
            begin = at + 1
    found.append(text[begin:])
    return tuple(part.strip() for part in found if part.strip())
