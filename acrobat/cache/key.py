"""Names of artefacts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def content_hash(parts: Iterable[str | bytes]) -> str:
    """Return a name for an artefact: the hash of its ingredients, each preceded by its length."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:24]
