"""References in a text: files, session keys and links, found by form alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoryhub.formats.openclaw.session_key import find_session_keys

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

_URL = re.compile(r"https?://[^\s<>\"'`|\\^{}\[\]，。、；！？（）「」『』【】《》]+")
_URL_TAIL = ".,;:!?*_~…"

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


@dataclass(frozen=True, slots=True)
class Mentions:
    """The references of a text, each once, in the order of their first mention."""

    files: tuple[str, ...]
    session_keys: tuple[str, ...]
    urls: tuple[str, ...]


def find_mentions(text: str) -> Mentions:
    """Return all references in a text.

    Files lose backticks and line numbers (``src/a.py:12-18``).
    """
    urls = map(_without_tail, _URL.findall(text) if "://" in text else ())
    return Mentions(_files(text), find_session_keys(text), tuple(dict.fromkeys(urls)))


def _without_tail(url: str) -> str:
    """Strip the end of the sentence, and a bracket opened before the address."""
    url = url.rstrip(_URL_TAIL)
    while url.endswith(")") and url.count(")") > url.count("("):
        url = url[:-1].rstrip(_URL_TAIL)
    return url


def _files(text: str) -> tuple[str, ...]:
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
