"""Train the model: `python -m memoryhub.prose fit FOLDER [WEIGHTS]`.

FOLDER holds labelled groups. Without a path, the weights of the package are replaced.
`python -m memoryhub.prose earn FOLDER [STEP]` tells what each further hundred phrases,
or each STEP, earns in folds, and writes nothing.
"""

from __future__ import annotations

import sys
from pathlib import Path

from memoryhub.prose.fit import earnings, train


def main(words: list[str]) -> int:
    is_known = words[:1] in (["fit"], ["earn"]) and len(words) in (2, 3)
    if not is_known or not Path(words[1]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    if words[0] == "fit":
        told = train(*map(Path, words[1:]))
    else:
        told = earnings(Path(words[1]), *map(int, words[2:]))
    for line in told:
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
