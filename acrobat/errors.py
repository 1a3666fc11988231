"""The exceptions of this package.

    AcrobatError
    +-- OptionError          an option that does not exist or has no such value   (also ValueError)
    +-- ParamsError          weights that do not fit their declaration            (also ValueError)
    +-- GradientError        a gradient that does not exist, or cotangents that do not fit
    |                                                                             (also ValueError)
    +-- InstanceError        an instance that is not of the model's input type    (also TypeError)
    +-- ToolchainError       g++, TVM or Triton missing or failing
    +-- CacheError           a build result that cannot be stored or used             (also OSError)
    +-- DeviceError          no GPU, or its driver returned an error
    +-- RecursionLimitError  a recursion deeper than the reserved stack      (also RecursionError)
    +-- NotFiniteError       a result with NaN or infinity, if asked for   (also ArithmeticError)
    +-- CapacityError        a mini-batch that does not fit in memory             (also MemoryError)
    +-- CompilerBug          a verifier found a broken invariant: our fault

Errors in a model's source are `ModelError`s (lang.diagnostics), a `SyntaxError` subclass, so
that Python itself draws the source and the caret.
"""

from __future__ import annotations


class AcrobatError(Exception):
    """Base of all errors raised by this package."""


class OptionError(AcrobatError, ValueError):
    """An option that does not exist or has no such value."""


class ParamsError(AcrobatError, ValueError):
    """Weights whose shape, type or size does not fit their declaration."""


class GradientError(AcrobatError, ValueError):
    """A gradient that does not exist, or cotangents that do not fit the results."""


class InstanceError(AcrobatError, TypeError):
    """An instance that is not of the model's input type; the message names the path to it."""


class ToolchainError(AcrobatError):
    """A compiler that is missing or failed; the message holds its output."""


class CacheError(AcrobatError, OSError):
    """A build result cannot be stored or used; the message names the file and says what to do."""


class DeviceError(AcrobatError):
    """A GPU is missing, or its driver returned an error."""


class RecursionLimitError(AcrobatError, RecursionError):
    """The model recursed deeper than the reserved stack."""


class NotFiniteError(AcrobatError, ArithmeticError):
    """A result has a NaN or an infinity, or a decision depends on one, under
    `Options.check_finite`; the message says where it originated."""


class CapacityError(AcrobatError, MemoryError):
    """The mini-batch needs more memory than the arena can address or than is available."""


class CompilerBug(AcrobatError):
    """A broken invariant inside the compiler; please report it with the model."""
