"""The one door from markdown to HTML, against CommonMark's own reading and attacks."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from memoryhub.web.kit.markdown import MAX_CHARACTERS, heading_id, render_markdown

ROOT = Path(__file__).parents[1]

#: Texts as agents write them, and the corners of the specification.
CASES = [
    "# One\n## Two ##\n### Three\n###### Six\n#not\n",
    "Text right above\n- one\n- two\n  - inner\n  - inner\n    - third\n- three\n",
    "Steps:\n1. a\n2. b\n   - under b\n3. c\n",
    "Text\n2. does not interrupt\n",
    "- a\n\n- b\n- c\n",
    "- a\n- b\n\n\ntext\n",
    "- a\n\n  second paragraph\n\n      code\n- b\n",
    "* a\n+ b\n- c\n",
    "3) three\n4) four\n5. other\n",
    "- [ ] open\n- [x] done\n- [X] done too\n- [] not\n",
    "1. [ ] counted\n2. [x] done\n",
    "- a\n  ```py\n  x = 1\n\n  y = 2\n  ```\n- b\n",
    "```\nnever closed\n# no heading\n",
    "~~~~ md\n```\ninside\n```\n~~~~\n",
    "```js`not a fence`\n",
    "    indented\n\n    more\n\ntext\n",
    "text\n    not code\n",
    "> quote\n> - a\n> - b\nlazy\n\nafter\n",
    "> a\n\n> b\n",
    "> > deep\n> flat\n",
    ">no space\n> # heading\n",
    "| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 |\n\nafter\n",
    "intro\n| a | b |\n|---|---|\n| `x\\|y` | z |\n",
    "a | b\n--|--\n1 | 2\nrow too\n> quote ends it\n",
    "| a |\n|---|---|\n",
    "- item\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n",
    "***\n---\n___\n- - -\n* * *\n",
    "text\n***\nmore\n",
    "Title\n=====\n\ntext\n",
    "one  \ntwo\\\nthree\nfour\n",
    "~~gone~~ **bold** *em* ***both*** `code` a_b_c __init__\n",
    "[a](b.md) <https://e.org> ![p](q.png) [r]\n\n[r]: x.md\n",
    "[only]: definition.md\n",
    "<!-- note -->\n# After\n<div>\n\n**b**\n</div>\n",
    "-\n- \n- a\n",
    "-\n\n  not in the item\n",
    "- a\n b\n  c\n",
    " - a\n  - b\n   - c\n    - d\n",
    "10) a\n    - nested\n",
    "-\ttab\n\t- nested by tab\n\n\t\tcode\n",
    "1. a\n\n   b\n\n2. c\n   > q\n",
    "# \n#\n## #\n",
    "## 决定\n文字\n- 一\n- 二\n",
    "\n\n\n",
    "a\n\n\n\nb\n",
    "- a\n  - b\n\n    c\n- d\n",
    "- a\n  > b\n  ```\n  c\n  ```\n- d\n",
    "text\n```\ncode\n```\ntext\n",
    "* a\n*\n* c\n",
    "- # heading in item\n- > quote in item\n",
]


class _Structure(HTMLParser):
    """Collects the block tags of a page, with a mark for what is inside text."""

    BLOCKS = frozenset(
        {"p", "ul", "ol", "li", "blockquote", "pre", "hr", "del", "input", "a"}
        | {"table", "thead", "tbody", "tr", "th", "td"}
        | {"h1", "h2", "h3", "h4", "h5", "h6"}
    )

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.BLOCKS:
            self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.BLOCKS - {"input", "hr"}:
            self.tags.append("/" + tag)


def structure_of(html: str) -> list[str]:
    parser = _Structure()
    parser.feed(html)
    return parser.tags


def rendered(text: str) -> str:
    return render_markdown(text, path="memory/a.md", link=lambda path: f"/files/{path}")


def oracle(text: str) -> str:
    """Render as CommonMark does, with the differences we accept taken out.

    Accepted: headings move one level down; task lists get their box; a picture is
    a link; ``---`` under a text is a rule, not the underline of a heading.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable(
        ["table", "strikethrough"]
    )
    if not re.search(r"^ {0,3}=+\s*$", text, re.MULTILINE):
        parser.disable("lheading")
    html = re.sub(
        r"(</?h)([1-6])",
        lambda found: f"{found[1]}{min(int(found[2]) + 1, 6)}",
        parser.render(text),
    ).replace("<s>", "<del>")
    html = html.replace("</s>", "</del>")
    html = re.sub(r"<img[^>]*>", "<a></a>", html)
    return re.sub(r"(<li>\s*(?:<p>)?)\[[ xX]\] ", r"\1<input>", html)


@pytest.mark.parametrize("text", CASES)
def test_it_finds_the_blocks_that_commonmark_finds(text: str) -> None:
    assert structure_of(rendered(text)) == structure_of(oracle(text))


def stored_files() -> list[Path]:
    folders = ("samples", "memoryhub/dialects/*/samples", "tests/corpus")
    found = [path for folder in folders for path in ROOT.glob(f"{folder}/**/*.md")]
    return sorted(path for path in found if path.stat().st_size < 100_000)


#: Bare addresses become links here; the oracle has no such rule.
#: Links of wikis are none of CommonMark.
_WIKI_LINK = re.compile(r"\[\[[^\[\]\n]+\]\]")
_ADDRESS = re.compile(r"https?://|www\.")
#: And a line of Hermes between its notes is a rule.
_SIGNS = re.compile(r"\n§(?=\n)")


def test_it_agrees_on_every_sample() -> None:
    for path in stored_files():
        text = path.read_bytes().decode("utf-8", "replace").replace("\r", "")
        if "\x00" in text or "\ufeff" in text:
            continue
        text = _SIGNS.sub("\n---\n", _ADDRESS.sub("address ", text))
        text = _WIKI_LINK.sub("note", text)
        assert structure_of(rendered(text)) == structure_of(oracle(text)), path


def test_it_shows_raw_html_as_text() -> None:
    html = rendered("a <script>alert(1)</script> <img src=x onerror=alert(1)>\n\n<b>x")

    assert "<script" not in html and "<img" not in html and "<b>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "<java\tscript:alert(1)>",
        "&#106;avascript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "//evil.example/x",
        "/\\evil.example",
        "\\\\\\\\evil.example",
        "file:///etc/passwd",
        "../../outside.md",
        "..%2f..%2foutside.md",
    ],
)
def test_it_links_to_nothing_strange(target: str) -> None:
    html = render_markdown(f"[x]({target})", path="memory/a.md", link=lambda path: None)

    assert "href" not in html


def test_the_last_gate_drops_an_address_the_caller_got_wrong() -> None:
    html = render_markdown("[x](y)", path="a.md", link=lambda path: "javascript:1")

    assert "javascript" not in html


def test_it_resolves_links_inside_the_workspace() -> None:
    html = rendered("[a](b.md#My-Part) [c](../MEMORY.md) [d](/x%20y.md) [e](#here)")

    assert 'href="/files/memory/b.md#h-my-part"' in html
    assert 'href="/files/MEMORY.md"' in html
    assert 'href="/files/x y.md"' in html
    assert 'href="#h-here"' in html


def test_it_marks_links_to_other_hosts() -> None:
    html = rendered("see https://e.org/a_(b)_c. And www.e.org, <a@e.org>")

    rel = 'rel="noopener noreferrer nofollow"'
    assert f'<a href="https://e.org/a_(b)_c" {rel}>' in html
    assert f'<a href="https://www.e.org" {rel}>www.e.org</a>,' in html
    assert 'href="mailto:a@e.org"' in html


def test_it_ends_a_bare_address_at_chinese_marks() -> None:
    assert 'href="https://e.org/a"' in rendered("见 https://e.org/a。完成")


def test_it_never_nests_links() -> None:
    html = rendered("[a https://e.org b ![c](d.png)](e.md)")

    assert html.count("<a ") == 1


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("***a** b*", "<em><strong>a</strong> b</em>"),
        ("*a **b***", "<em>a <strong>b</strong></em>"),
        ("**a*", "*<em>a</em>"),
        ("snake_case_name", "snake_case_name"),
        ("a * b * c", "a * b * c"),
        ("**2 * 3**", "<strong>2 * 3</strong>"),
        ("~~a~~ ~b~ ~~~", "<del>a</del> <del>b</del> ~~~"),
        ("`` a`b ``", "<code>a`b</code>"),
        ("`a", "`a"),
        (r"\*a\* \& &amp; &", "*a* &amp; &amp; &amp;"),
        ("[*a](b)*", '<a href="/files/memory/b">*a</a>*'),
        ("**中文**文字", "<strong>中文</strong>文字"),
    ],
)
def test_it_reads_marks_inside_text(text: str, html: str) -> None:
    assert rendered(text) == f"<p>{html}</p>"


def test_headings_start_below_the_title_of_the_page() -> None:
    html = rendered("# Current Status\n## Current Status\n")

    assert '<h2 id="h-current-status">' in html
    assert '<h3 id="h-current-status-1">' in html
    assert heading_id("Current Status") == "h-current-status"


def test_tables_say_alignment_without_a_style() -> None:
    html = rendered("|a|b|\n|:-:|--:|\n|1|2|")

    assert '<td align="center">1</td>' in html
    assert '<td align="right">2</td>' in html
    assert "style" not in html


def test_code_keeps_its_characters() -> None:
    html = rendered("```py x\n<b> &amp; & *a*\n```")

    assert '<pre tabindex="0"><code class="language-py">' in html
    assert "&lt;b&gt; &amp;amp; &amp; *a*\n" in html


@pytest.mark.parametrize(
    "text",
    [
        "a" * 200_000,
        "*a **b _c " * 20_000,
        "[" * 200_000,
        ("![" * 9_000 + "\n\n") * 10,
        ("](" * 9_000 + "\n\n") * 10,
        ("**a *b _c ~d " * 1_500 + "\n\n") * 10,
        "`a``b```c" * 20_000,
        "> " * 10_000 + "a",
        "- " * 10_000 + "a",
        "\n".join(" " * place + "- a" for place in range(0, 600, 2)),
        "|" * 9_000 + "\n" + "|-" * 9_000,
        "#" * 200_000,
        ("x" + ")" * 9_000 + "https://x" + ")" * 9_000 + "\n\n") * 10,
        "https://" * 20_000,
        "xhttps://x" * 20_000,
        "https://x/(" * 20_000,
    ],
    ids=lambda text: text[:12],
)
def test_hostile_text_takes_no_time(text: str) -> None:
    assert len(rendered(text)) < 2_000_000


@pytest.mark.parametrize("marker", ["> ", "- ", "1. > "])
def test_no_text_is_left_out_however_deep_it_is(marker: str) -> None:
    for depth in range(1, 60, 3):
        assert "hidden" in rendered(marker * depth + "hidden"), depth


def test_a_text_that_is_too_large_is_shown_as_written() -> None:
    html = rendered("<b>" + "a" * MAX_CHARACTERS)

    assert html.startswith('<pre class="as-written" tabindex="0">&lt;b&gt;a')


def test_it_survives_every_character() -> None:
    text = "\ufeff# a\x00b \x02\x03 \ud800 \x1b[0m \u2028 \x0c\n\r- x\r\n- y"

    assert "<li>y</li>" in rendered(text)


def test_nothing_gives_nothing() -> None:
    assert rendered("") == rendered(" \n\n") == ""


def test_notes_of_hermes_are_apart() -> None:
    html = rendered("The NAS is at nas.local\n§\nBackups at two\n§\n§ 5 is a law\n")

    assert html.count("<hr>") == 2
    assert html.count("<p>") == 3
    assert "§ 5 is a law" in html
