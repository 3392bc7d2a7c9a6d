"""Train the model: `python -m memoryhub.prose fit FOLDER`, a folder of labelled groups."""

from __future__ import annotations

import sys
from pathlib import Path

from memoryhub.prose.fit import train


def main(words: list[str]) -> int:
    if len(words) != 2 or words[0] != "fit" or not Path(words[1]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    for line in train(Path(words[1])):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
