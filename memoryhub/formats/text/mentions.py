"""References in a text: files, session keys, commits, links and issues.

Found by form alone; the existence of a file or a commit is not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
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

_COMMIT_WORD = re.compile(
    r"\b(?:commit(?:ted)?(?: as| in| to)?|sha|rev(?:ision)?|HEAD)"
    r"[ \t]{0,4}[:=@(]{0,2}[ \t]{0,4}([0-9a-f]{7,40})\b",
    re.IGNORECASE | re.ASCII,
)
_SHA = re.compile(r"(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}")
_ISSUE = re.compile(
    r"(?<![\w&#/.-])((?:[A-Za-z0-9][\w.-]{0,38}/[\w.-]{1,100})?#[1-9]\d{0,4})(?![\w#-])",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Mentions:
    """The references of a text, each once, in the order of their first mention."""

    files: tuple[str, ...]
    session_keys: tuple[str, ...]
    commits: tuple[str, ...]
    urls: tuple[str, ...]
    issues: tuple[str, ...]


def find_mentions(text: str) -> Mentions:
    """Return all references in a text.

    Files lose backticks and line numbers (``src/a.py:12-18``). A commit is a hash in
    backticks or after the word, with a digit and a letter in it. An issue is
    ``#123`` or ``owner/name#123``.
    """
    urls = _urls(text) if "://" in text else ()
    return Mentions(
        _files(text),
        find_session_keys(text),
        _commits(text),
        urls,
        _unique(_ISSUE.findall(text)) if "#" in text else (),
    )


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _urls(text: str) -> tuple[str, ...]:
    return _unique(_without_tail(url) for url in _URL.findall(text))


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
    return _unique(path for _, path in found)


def _path(code: str) -> str:
    """Return the path that a piece of code is, or nothing."""
    path = _LINE_NUMBERS.sub("", code.strip())
    found = _CODE_PATH.fullmatch(path)
    if not found or "://" in path or found[1].isdecimal():
        return ""
    named = found[1].lower() in _FILE_ENDS
    return path if named or _CODE_FOLDER.fullmatch(path) else ""


def _commits(text: str) -> tuple[str, ...]:
    found = [(match.start(1), match[1]) for match in _COMMIT_WORD.finditer(text)]
    if "`" in text:
        found += [(match.start(1), match[1]) for match in _CODE.finditer(text)]
        found.sort()
    return _unique(sha.lower() for _, sha in found if _SHA.fullmatch(sha.lower()))
