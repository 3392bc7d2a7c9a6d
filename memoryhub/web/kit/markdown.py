"""Rendering of agents' Markdown to safe HTML; the only place that does it.

The text of memory files is untrusted. markdown-it-py parses it as CommonMark and GitHub
do; raw HTML is shown as text, link targets are checked, and the result is sanitised
once more.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from urllib.parse import quote, unquote

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock, lheading
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

#: A larger text is shown as source; pages show such files in parts.
MAX_CHARACTERS = 400_000
MAX_LINES = 20_000
#: So is a text with more brackets than links need, as the parser looks at each again
#: for every nesting level.
MAX_BRACKETS = 10_000
#: And one whose quotes and lists are nested deeper, which the parser would leave out.
MAX_DEPTH = 40

#: Returns the address of a path in the workspace; None if there is no such file.
Link = Callable[[str], str | None]

_EXTERNAL = re.compile(r"(?:https?://|mailto:)[^\s]", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\\]")
_TASK = re.compile(r"\[([ xX])\][ \t]+(?=\S)")
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")
#: Lone surrogates cannot be encoded.
_UNUSABLE = re.compile("[\x02\x03\ud800-\udfff]")
_OPTIONS = {
    "html": False,
    "linkify": False,
    "tasklists": False,
    "alerts": False,
    "maxNesting": MAX_DEPTH,
}
#: Ends at enclosing characters and at Chinese punctuation.
_BARE_LINK = re.compile(
    r"(?:https?://|www\.)\w[^\s<>\[\]`|\u3000-\u303f\uff00-\uffef]*"
)

#: A link of a wiki: the name of a note, its heading, and the words to show.
_WIKI_LINK = re.compile(
    r"\[\[([^\[\]|#\n]{1,200})(#[^\[\]|\n]{1,200})?(?:\|([^\[\]\n]{1,200}))?\]\]"
)

_TAGS = {
    *("p", "ul", "ol", "li", "blockquote", "pre", "code", "hr", "br", "a"),
    *("em", "strong", "del", "table", "thead", "tbody", "tr", "th", "td"),
    *("label", "input", "h2", "h3", "h4", "h5", "h6"),
}
_ATTRIBUTES = {
    "a": {"href", "rel", "class"},
    "code": {"class"},
    "li": {"class"},
    "ol": {"start"},
    "pre": {"tabindex"},
    "table": {"tabindex"},
    "td": {"align"},
    "th": {"align"},
    "input": {"disabled", "checked"},
    **{f"h{level}": {"id"} for level in range(2, 7)},
}


def render_markdown(text: str, *, path: str, link: Link) -> str:
    """Render Markdown to HTML that is safe in a page.

    `path` is the file's, relative to the workspace; `link` returns the address of
    another path in it, or None, which leaves only the link's text. Headings start at
    h2, because a page has its own h1. The caller removes front matter.
    """
    text = _UNUSABLE.sub("\ufffd", text).replace("\r\n", "\n").replace("\r", "\n")
    is_large = len(text) > MAX_CHARACTERS or text.count("\n") > MAX_LINES
    if is_large or text.count("[") > MAX_BRACKETS:
        return _as_written(text)
    parser = _parser()
    tokens = parser.parse(text)
    if any(token.level >= MAX_DEPTH - 1 for token in tokens):
        return _as_written(text)
    _adapt(tokens, _Links(path, link))
    return cleaned(parser.renderer.render(tokens, parser.options, {}))


def cleaned(html: str) -> str:
    """Return HTML with nothing but the tags, attributes and addresses of prose."""
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        tag_attribute_values={"input": {"type": {"checkbox"}}},
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
    ).strip()


def heading_id(title: str) -> str:
    """Return the anchor of a heading: GitHub's with a prefix of the hub."""
    plain = _NOT_IN_SLUG.sub("", title.strip().lower())
    return "h-" + plain.replace(" ", "-")[:100]


def _as_written(text: str) -> str:
    return f'<pre class="as-written" tabindex="0">{escape(text)}</pre>'


@dataclass(frozen=True, slots=True)
class _Links:
    """Gate for the link targets of one file: checks and resolves them."""

    path: str
    link: Link

    def __call__(self, target: str) -> str | None:
        if _EXTERNAL.match(target) and not _CONTROL.search(target):
            return target
        path, _, fragment = target.partition("#")
        path = unquote(path.partition("?")[0])
        anchor = f"#{heading_id(unquote(fragment))}" if fragment else ""
        if not path:
            return anchor or None
        if _SCHEME.match(path) or _CONTROL.search(path) or path.startswith("//"):
            return None
        address = self._inside(path)
        return f"{address}{anchor}" if address else None

    def _inside(self, path: str) -> str | None:
        """Resolve a path; a leading slash makes it relative to the root."""
        folder = "" if path.startswith("/") else posixpath.dirname(self.path)
        joined = posixpath.normpath(posixpath.join(folder, path.lstrip("/")))
        outside = joined == ".." or joined.startswith("../")
        return None if outside else self.link(joined)


class _Parser(MarkdownIt):
    """Parser that leaves link targets unchanged, because `_Links` checks them."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the library's name
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        return link

    def validateLink(self, url: str) -> bool:  # noqa: N802
        return True


class _Renderer(RendererHTML):
    """Renderer whose code blocks can be scrolled by keyboard."""

    def fence(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        language = _LANGUAGE.match(tokens[idx].info.strip())
        named = f' class="language-{language[0]}"' if language else ""
        code = escape(tokens[idx].content)
        return f'<pre tabindex="0"><code{named}>{code}</code></pre>\n'

    code_block = fence


@cache
def _parser() -> _Parser:
    """Return a CommonMark parser with GitHub's tables, strikethrough, bare links."""
    parser = _Parser("gfm-like2", _OPTIONS, renderer_cls=_Renderer)
    parser.block.ruler.at("lheading", _read_underlined, {"alt": []})
    others = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.before("hr", "section_sign", _read_section_sign, {"alt": others})
    parser.inline.ruler.at("linkify", _read_bare_link)
    parser.inline.ruler.before("link", "wiki_link", _read_wiki_link)
    stops = parser.inline.terminator_re.pattern
    parser.inline.terminator_re = re.compile(rf"{stops}|https?://|www\.")
    return parser


def _read_section_sign(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a line ``§``, with which Hermes separates its notes, as a rule."""
    first, last = state.bMarks[start] + state.tShift[start], state.eMarks[start]
    if state.src[first:last].rstrip() != "§":
        return False
    if not silent:
        state.line = start + 1
        token = state.push("hr", "hr", 0)
        token.map = [start, state.line]
        token.markup = "§"
    return True


def _read_underlined(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a heading underlined by ``===``.

    Dashes below a text are a horizontal rule, as agents mean them.
    """
    parent, count = state.parentType, len(state.tokens)
    if not lheading(state, start, end, silent):
        return False
    if state.tokens[-1].markup == "=":
        return True
    del state.tokens[count:]
    state.line, state.parentType = start, parent
    return False


def _read_bare_link(state: StateInline, silent: bool) -> bool:
    before = state.src[state.pos - 1] if state.pos else " "
    if state.linkLevel or before.isalnum():
        return False
    found = _BARE_LINK.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    shown = _without_tail(found[0])
    if not silent:
        address = shown if "://" in shown else f"https://{shown}"
        state.push("link_open", "a", 1).attrs = {"href": address}
        state.push("text", "", 0).content = shown
        state.push("link_close", "a", -1)
    state.pos += len(shown)
    return True


def _read_wiki_link(state: StateInline, silent: bool) -> bool:
    """Parse ``[[note]]`` as a link to ``note.md``, shown as ``[[note|words]]`` says."""
    found = _WIKI_LINK.match(state.src, state.pos, state.posMax)
    if state.linkLevel or not found:
        return False
    if not silent:
        name = found[1].strip()
        path = name if name.endswith(".md") else f"{name}.md"
        address = f"{quote(path)}{quote(found[2] or '', safe='#')}"
        state.push("link_open", "a", 1).attrs = {"href": address}
        state.push("text", "", 0).content = (found[3] or name).strip()
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


def _without_tail(link: str) -> str:
    """Strip the punctuation of the surrounding sentence from a bare link."""
    end = len(link)
    spare = link.count(")") - link.count("(")
    while end:
        last = link[end - 1]
        if last == ")" and spare > 0:
            spare -= 1
        elif last not in "?!.,:;*_~'\"":
            break
        end -= 1
    return link[:end]


def _adapt(tokens: list[Token], links: _Links) -> None:
    """Adapt tags and attributes of tokens to pages."""
    anchors: Counter[str] = Counter()
    for place, token in enumerate(tokens):
        if token.type == "inline":
            token.children = list(_gated(token.children or [], links))
            _add_attributes(tokens, place, anchors)
        elif token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"
        elif token.type == "table_open":
            token.attrSet("tabindex", "0")
        elif token.type in {"th_open", "td_open"} and token.attrs:
            token.attrs = {"align": str(token.attrs["style"]).rpartition(":")[2]}


def _add_attributes(tokens: list[Token], place: int, anchors: Counter[str]) -> None:
    """Add the anchor of a heading or the checkbox of a task item."""
    text, parent = tokens[place], tokens[place - 1]
    children = text.children or []
    if parent.type == "heading_open":
        anchor = heading_id("".join(child.content for child in children))
        seen = anchors[anchor]
        anchors[anchor] += 1
        parent.attrSet("id", f"{anchor}-{seen}" if seen else anchor)
    task = _TASK.match(text.content)
    if task and place > 1 and tokens[place - 2].type == "list_item_open":
        tokens[place - 2].attrSet("class", "task")
        children[0].content = children[0].content[task.end() :]
        state = "" if task[1] == " " else " checked"
        box = f'<label><input type="checkbox" disabled{state}>'
        children.insert(0, Token("html_inline", "", 0, content=box))
        children.append(Token("html_inline", "", 0, content="</label>"))


def _gated(tokens: list[Token], links: _Links) -> Iterator[Token]:
    """Yield inline tokens with checked links; nested and refused links become text."""
    opened: list[bool] = []
    for token in _without_pictures(tokens):
        if token.type == "link_open":
            address = None if any(opened) else links(str(token.attrs["href"]))
            opened.append(address is not None)
            token.attrs = {"href": address or ""}
            if _EXTERNAL.match(address or ""):
                token.attrs["rel"] = "noopener noreferrer nofollow"
        elif token.tag == "s":
            token.tag = "del"
        is_link = token.type in {"link_open", "link_close"}
        shown = opened[-1] if is_link else True
        if token.type == "link_close":
            opened.pop()
        if shown:
            yield token
        elif token.markup == "autolink":
            yield Token("text", "", 0, content="<" if token.nesting > 0 else ">")


def _without_pictures(tokens: list[Token]) -> Iterator[Token]:
    """Yield tokens with images as links: a file must not make a browser fetch."""
    for token in tokens:
        if token.type == "image":
            yield Token("link_open", "a", 1, {"href": token.attrs["src"]})
            yield from _without_pictures(token.children or [])
            yield Token("link_close", "a", -1)
        else:
            yield token
