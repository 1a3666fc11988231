"""The typed IR: what the author wrote, in structured A-normal form.

    module   ::= datas, params, functions, entry
    function ::= name(var, ...) -> (type, ...): region
    region   ::= stmt*; end
    end      ::= yield atom, ...        leaves the region with the values of the enclosing stmt
               | return atom, ...       leaves the function
               | break atom, ...        leaves the innermost loop with its carried values
               | continue atom, ...     begins the loop's next iteration with these values
             | raise text, atom, ...  the instance is at fault, and the text says why
    stmt     ::= let var, ... = rhs
               | if atom: region else: region        -> var, ...
               | match var: (case data(var, ...): region)*   -> var, ...
               | for var in range(atom, atom, step) carrying (var = atom, ...): region -> var, ...
               | while region carrying (var = atom, ...): region               -> var, ...
               | map var in range(0, atom): region                             -> var, ...
    rhs      ::= op(atom, ...; attrs)                 a tensor operation (ir.ops)
               | scalar(atom, ...)                    int/float/bool arithmetic and comparison
               | param var.field                   (gone after `specialise`)
               | weight "path"                     (only after `specialise`)
               | call function(atom, ...)
               | parallel(call, ...)                  instance parallelism
               | field var.name | construct data(atom, ...)
               | tuple(atom, ...) | item var[i]       (gone after `flatten_tuples`)
               | list op(atom, ...)                   (see `ListOp`)
               | read atom                            a decision: the value of a tensor of size 1
               | narrow var                           the same value at a narrower type
               | phase                                the next program phase begins
    atom     ::= var | constant

Every variable is assigned once. Variables are compared by identity of their number, not by name.
A statement all of whose regions leave (return, break, continue) is the last of its region, whose
`end` is then `Unreachable`. A `map` body may not return, break or continue. A call defines one
variable per result of the function (one variable of tuple type before `flatten_tuples`).
"""

from .atoms import (
    Atom,
    AttrValue,
    Const,
    Text,
    Var,
)
from .module import (
    RAW_VALUE,
    DataDef,
    Function,
    Module,
    ParamsDef,
)
from .right_hand_sides import (
    Call,
    Construct,
    FoldedWeight,
    GetField,
    GetItem,
    ListOp,
    MakeTuple,
    Narrow,
    NextPhase,
    Op,
    Parallel,
    ParamRead,
    Read,
    Rhs,
    Scalar,
    Weight,
)
from .statements import (
    Arm,
    Break,
    Continue,
    End,
    For,
    If,
    Let,
    Map,
    Match,
    Raise,
    Region,
    Return,
    Stmt,
    Unreachable,
    While,
    Yield,
)

__all__ = [
    "RAW_VALUE",
    "Arm",
    "Atom",
    "AttrValue",
    "Break",
    "Call",
    "Const",
    "Construct",
    "Continue",
    "DataDef",
    "End",
    "FoldedWeight",
    "For",
    "Function",
    "GetField",
    "GetItem",
    "If",
    "Let",
    "ListOp",
    "MakeTuple",
    "Map",
    "Match",
    "Module",
    "Narrow",
    "NextPhase",
    "Op",
    "Parallel",
    "ParamRead",
    "ParamsDef",
    "Raise",
    "Read",
    "Region",
    "Return",
    "Rhs",
    "Scalar",
    "Stmt",
    "Text",
    "Unreachable",
    "Var",
    "Weight",
    "While",
    "Yield",
]
