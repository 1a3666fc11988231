"""Pages in a real browser, without a window."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="there is no browser (Debian: chromium)")


def document_of(page: Path, script: str, profile: Path) -> str:
    """The document that a page has become once `script`, a module, has run at its end."""
    page.write_text(
        page.read_text().replace("</body>", f'<script type="module">{script}</script></body>')
    )
    command = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += ["--virtual-time-budget=60000", f"--user-data-dir={profile}"]
    done = subprocess.run(
        [*command, page.as_uri()], capture_output=True, text=True, timeout=300, check=True
    )
    return done.stdout
