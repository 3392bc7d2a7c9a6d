"""Install folders outside the package into it, which pyproject.toml cannot express.

``templates/``, ``static/`` and the sample lie at the top of the checkout. Installed
there, they would litter site-packages, so a wheel has them in ``memoryhub/shipped/``,
where `memoryhub.settings.BASE_DIR` looks first.
"""

from __future__ import annotations

import re
from glob import escape
from pathlib import Path

from setuptools import find_packages, setup

SHIPPED = (
    "templates",
    "static",
    "samples/acme-checkout",
    "integrations/claude-code",
    "integrations/openclaw",
    "integrations/connect",
    "integrations/mcp-app",
    "docs",
)
#: Of the documentation, the manual is shipped: what its index links to. The pages of
#: dialects lie in their folders.
_MANUAL = re.compile(r"\]\(([\w/]+\.md)\)")


def package_of(folder: str) -> str:
    """Return the package that a folder is installed as."""
    return f"memoryhub.shipped.{folder.replace('/', '.')}"


def files_of(folder: str) -> list[str]:
    """Return patterns of all files of a shipped folder, hidden ones included."""
    root = Path(folder)
    if folder == "docs":
        return ["index.md", *_MANUAL.findall((root / "index.md").read_text("utf-8"))]
    files = (path for path in root.rglob("*") if path.is_file())
    return sorted(escape(path.relative_to(root).as_posix()) for path in files)


if __name__ == "__main__":
    setup(
        packages=[
            *find_packages(include=["memoryhub*", "topics*", "snapshots*"]),
            *map(package_of, SHIPPED),
        ],
        package_dir={package_of(folder): folder for folder in SHIPPED},
        package_data={
            **{package_of(folder): files_of(folder) for folder in SHIPPED},
            "memoryhub": [
                "py.typed",
                "database/tables.sql",
                "dialects/*/manual.md",
                "formats/text/calendar.json",
                "locale/*/LC_MESSAGES/*.mo",
                "prose/*.toml",
                "prose/weights.bin",
            ],
        },
    )
