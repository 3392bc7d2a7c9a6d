"""Files that a text names, found by form alone."""

from __future__ import annotations

import re

#: Ends of names that are files even without a folder; ``x.y`` is code more often.
_FILE_ENDS = {
    *("md", "mdx", "txt", "log", "csv", "tsv", "pdf", "doc", "docx", "xls", "xlsx"),
    *("json", "jsonl", "json5", "yaml", "yml", "toml", "ini", "cfg", "conf", "xml"),
    *("py", "pyi", "ipynb", "js", "mjs", "cjs", "ts", "tsx", "jsx", "vue", "svelte"),
    *("html", "htm", "css", "scss", "rs", "go", "java", "kt", "swift", "rb", "php"),
    *("c", "cc", "cpp", "h", "hpp", "cs", "lua", "r", "sql", "prisma", "proto", "tf"),
    *("sh", "bash", "zsh", "ps1", "bat", "service", "plist", "lock", "patch", "diff"),
    *("png", "jpg", "jpeg", "gif", "svg", "webp", "mp3", "mp4", "wav", "srt", "ics"),
    *("db", "sqlite", "zip", "tar", "tgz", "gz", "pem", "crt", "pptx", "tex"),
}

#: A path with a folder in running text; ASCII: other scripts end it.
_PATH = re.compile(
    r"(?<![\w/.:@~\\+-])"
    r"((?:~?/|\.{1,2}/|[A-Za-z]:[/\\])?(?:[\w.@+-]++[/\\])+[\w.@+-]*?[\w+-]"
    r"\.[A-Za-z][A-Za-z0-9]{0,9})(?![\w/\\])",
    re.ASCII,
)
_CODE = re.compile(r"`([^`\n]{1,300})`")
_LINE_NUMBERS = re.compile(r"(?::\d+(?:[-:,]\d+)*|#L\d+(?:-L?\d+)?)\Z")
_CODE_PATH = re.compile(r"[^\s`\"'<>|*?(){};,$=]+\.(\w{1,10})")
_CODE_FOLDER = re.compile(r"(?:~|\.{1,2})?/?(?:[^\s/\\]+[/\\])+[^\s/\\]+")


def files_in(text: str) -> tuple[str, ...]:
    """Return the files that a text names, each once, the first named first.

    They lose backticks and line numbers (``src/a.py:12-18``).
    """
    found = [(match.start(), match[1]) for match in _PATH.finditer(text)]
    if "`" in text:
        found += [
            (m.start(), path) for m in _CODE.finditer(text) if (path := _path(m[1]))
        ]
        found.sort()
    return tuple(dict.fromkeys(path for _, path in found))


def _path(code: str) -> str:
    """Return the path that a piece of code is, or nothing."""
    path = _LINE_NUMBERS.sub("", code.strip())
    found = _CODE_PATH.fullmatch(path)
    if not found or "://" in path or found[1].isdecimal():
        return ""
    named = found[1].lower() in _FILE_ENDS
    return path if named or _CODE_FOLDER.fullmatch(path) else ""
