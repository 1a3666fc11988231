"""Models in PyTorch: `ab.torch.Module`. Importing this package imports torch."""

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise ImportError("acrobat.torch needs PyTorch: pip install 'acrobat[torch]'") from error

from .module import Module

__all__ = ["Module"]
