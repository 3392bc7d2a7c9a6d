"""Train the model: `python -m memoryhub.prose fit FOLDER [WEIGHTS]`.

FOLDER holds labelled groups. Without a path, the weights of the package are replaced.
"""

from __future__ import annotations

import sys
from pathlib import Path

from memoryhub.prose.fit import train


def main(words: list[str]) -> int:
    if words[:1] != ["fit"] or len(words) not in (2, 3) or not Path(words[1]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    for line in train(*map(Path, words[1:])):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
