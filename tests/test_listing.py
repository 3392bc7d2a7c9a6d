"""All list pages: unknown filters are reported, and counts equal the rows shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.test import Client

from memoryhub.handoffs.models import Handoff
from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from tests.conftest import MakeWorkspace
from tests.factories import TOPIC, imported, snapshot_text, write
from tests.signing import own_program
from tests.test_samples import ACME
from topics.models import Topic

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

#: Every list page, with parameters whose values are fixed or are checked.
PAGES = {
    "/w/acme/decisions/": ("state", "month", "before", "topic", "agent"),
    "/w/acme/directives/": ("origin", "before"),
    "/w/acme/topics/": ("state", "sort", "page"),
    "/w/acme/topics/api/": ("kind", "before"),
    "/w/acme/topics/api/decisions/": ("page",),
    "/w/acme/handoffs/": ("type", "state", "to", "late", "sort", "topic", "agent"),
    "/w/acme/handoffs/?view=list": ("view", "after"),
    "/handoffs/": ("type", "state", "to", "most", "workspace"),
    "/w/acme/files/": ("show", "after"),
    "/w/acme/files/MEMORY.md": ("view", "rev", "vs", "below"),
    "/w/acme/search/?q=api": ("recent", "stay"),
    "/w/acme/timeline/": ("kind", "since", "run", "before", "topic", "agent"),
    "/w/acme/timeline/?group=session": ("group", "page"),
    "/w/acme/imports/": ("below",),
    "/w/acme/imports/1/": ("after",),
    "/w/acme/sessions/": ("page",),
    "/w/acme/unassigned/": ("kind",),
    "/w/acme/files-in-play/": (),
    "/w/acme/recall/": ("form", "agent", "budget"),
    "/w/acme/topics/api/recall/": ("form", "agent", "budget", "view"),
    "/w/acme/handover/": ("form", "topic", "snapshot"),
    "/w/acme/": ("turns",),
    "/w/acme/health/": ("from",),
    "/w/acme/export/": ("view",),
    "/w/acme/snapshots/2026-11-20-01/": ("view", "vs", "kind", "agent", "topic"),
    "/w/acme/handoffs/new/": (),
    "/w/acme/days/2026-11-20/": (),
    "/": (),
    "/help/": (),
}
#: Texts without room for a notice: an unknown form is no page.
TEXTS = ("recall.md", "topics/api/recall.md", "handover.md", "handover.zip")
#: Texts, feeds, downloads and JSON with parameters whose values are checked.
PLAIN = {
    **{f"/w/acme/{path}": ("form",) for path in TEXTS},
    "/w/acme/topics/api.md": (),
    "/w/acme/snapshots/2026-11-20-01.md": (),
    "/w/acme/decisions.md": (),
    "/w/acme/days/2026-11-20.md": (),
    "/w/acme/files/MEMORY.md.md": ("rev",),
    "/w/acme/files/MEMORY.md?view=text": ("rev",),
    "/w/acme/timeline.atom": (),
    "/w/acme/your-turn.atom": (),
    "/w/acme/topics/api.atom": (),
    "/w/acme/news/": ("after",),
    "/news/": ("after",),
    "/w/acme/palette": (),
    "/w/acme/export/download/": (),
}
LISTS = ("topics", "decisions", "snapshots", "handoffs", "files", "events")
#: Pages with counted filter links, and what begins each of their rows.
ROWS = {
    "decisions/": r"<li(?: class=\"past\")?>\s*<time class=\"age num\"",
    "topics/": r"<tr><td class=\"nowrap\">|<tr>\s*<td class=\"nowrap\">",
    "handoffs/?view=list": r"<tr><td|<tr>\s*<td",
    "timeline/": r"<li class=\"ev(?! burst)",
}
_LINK = re.compile(
    r'<a class="chip" href="([^"]*)">(?:(?!</a>).)*?<span class="n">([^<]*)<',
    re.DOTALL,
)


def html(client: Client, url: str) -> str:
    response = client.get(url, follow=True)
    assert response.status_code == 200, url
    return response.content.decode()


def changed(url: str, **query: str) -> str:
    return f"{url}{'&' if '?' in url else '?'}{urlencode(query)}"


@pytest.fixture
def two_workspaces(tmp_path: Path, make_workspace: MakeWorkspace) -> Workspace:
    (tmp_path / "other").mkdir()
    make_workspace(tmp_path / "other")
    log = {"MEMORY.md": "# Memory\n", "memory/context-api.md": TOPIC}
    log |= {"memory/2026-11-20.md": f"# 2026-11-20\n{snapshot_text(1)}"}
    return imported(tmp_path / "acme", log)


def notices(text: str) -> list[tuple[str, str]]:
    """Return what a page does not know, each with the link that leaves it out."""
    pattern = r'<b class="mono break">([^<]*)</b>.*?<a class="link" href="([^"]*)"'
    return [(unescape(a), unescape(b)) for a, b in re.findall(pattern, text, re.DOTALL)]


@pytest.mark.usefixtures("two_workspaces")
@pytest.mark.parametrize("url", PAGES)
def test_what_a_page_does_not_know_is_named_and_can_be_left_out(
    client: Client, url: str
) -> None:
    for name in (*PAGES[url], "foo"):
        url_of_all = re.sub(rf"[?&]{name}=[^&]*", "", url)
        text = html(client, changed(url_of_all, **{name: "no such"}))

        ((named, without),) = notices(text)
        assert named == f"{name}=no such"
        assert "no+such" not in without and not notices(html(client, without))


@pytest.mark.usefixtures("two_workspaces")
@pytest.mark.parametrize("path", TEXTS)
def test_a_text_of_an_unknown_form_is_not_that_of_another(
    client: Client, path: str
) -> None:
    assert client.get(f"/w/acme/{path}").status_code == 200
    assert client.get(f"/w/acme/{path}?form=xyz").status_code == 404
    if "recall" in path:
        page = html(client, f"/w/acme/{path.removesuffix('.md')}/?form=xyz&budget=900")
        assert f'href="/w/acme/{path}?budget=900"' in page


@pytest.mark.usefixtures("two_workspaces")
@pytest.mark.parametrize("url", PLAIN)
def test_a_text_is_refused_with_what_it_does_not_know(client: Client, url: str) -> None:
    whole = client.get(url)
    assert whole.status_code == 200
    whole.getvalue()  # Closes the file of a download.
    for name in (*PLAIN[url], "foo"):
        response = client.get(changed(url, **{name: "no such"}))
        assert response.status_code == 404
        assert (f"{name}=no such", url) in notices(response.content.decode())


def test_a_revision_that_never_was_is_not_the_newest(
    client: Client, two_workspaces: Workspace
) -> None:
    late = two_workspaces.last_seq + 97

    assert client.get(f"/w/acme/files/MEMORY.md.md?rev={late}").status_code == 404
    page = html(client, f"/w/acme/files/MEMORY.md?rev={late}")
    assert notices(page) == [(f"rev={late}", "/w/acme/files/MEMORY.md")]


def test_a_page_asks_for_news_since_its_version_only(
    client: Client, two_workspaces: Workspace
) -> None:
    shell = re.search(r'data-news="([^"]*)"', html(client, "/w/acme/topics/"))
    assert shell and not client.get(shell[1]).json()["pill"]

    for after, answer in {"0": "new, show", "0.0.0": "new, show"}.items():
        assert answer in client.get("/w/acme/news/", {"after": after}).json()["pill"]
    for after in ("garbage", "1.2", "1.x.2", "-1", "1.2.3.4"):
        assert client.get("/w/acme/news/", {"after": after}).status_code == 404


@pytest.mark.usefixtures("two_workspaces")
def test_the_notice_is_translated(client: Client) -> None:
    page = client.get(
        "/w/acme/decisions/?state=signed", headers={"accept-language": "zh-hans"}
    )
    assert "state=signed" in page.content.decode()
    assert "This page" not in page.content.decode()


@pytest.mark.usefixtures("two_workspaces")
@pytest.mark.parametrize("url", PAGES)
def test_a_page_knows_its_own_links(client: Client, url: str) -> None:
    text = html(client, url)

    assert not notices(text)
    for link in own_links(text, url):
        assert not notices(html(client, link))


def own_links(text: str, url: str) -> Iterator[str]:
    path = url.partition("?")[0]
    for link in dict.fromkeys(re.findall(r'href="([^"]*)"', text)):
        if unescape(link).startswith(f"{path}?"):
            yield unescape(link)


@pytest.mark.usefixtures("two_workspaces")
@pytest.mark.parametrize("name", LISTS)
def test_the_api_refuses_a_parameter_that_a_list_lacks(name: str) -> None:
    url = f"/api/v1/workspaces/acme/{name}"
    response = own_program().get(url, {"foo": "1"})

    assert response.status_code == 422
    assert "foo" in str(response.json()["error"]["details"])
    assert own_program().get(url, {"cursor": ""}).status_code == 200


@pytest.fixture
def sample(make_workspace: MakeWorkspace) -> Workspace:
    workspace = make_workspace(ACME)
    sync_workspace(workspace)
    return workspace


@pytest.mark.parametrize("page", ROWS)
def test_the_count_of_every_filter_link_is_that_of_its_rows(
    client: Client, sample: Workspace, page: str
) -> None:
    start = f"/w/{sample.slug}/{page}"
    seen, links = set[str](), list(counted(html(client, start)))
    chosen = [link for url, _ in links for link in counted(html(client, url))]

    assert links
    for url, count in [*links, *chosen]:
        if url not in seen:
            seen.add(url)
            rows = rows_of(client, url, ROWS[page])
            # The timeline counts things, each of which may have several events.
            assert rows >= int(count) if page == "timeline/" else rows == int(count), (
                url
            )


def counted(text: str) -> Iterator[tuple[str, str]]:
    for url, count in _LINK.findall(text):
        yield unescape(url), count


def rows_of(client: Client, url: str, row: str) -> int:
    """Return the number of rows on all pages of a list."""
    text = html(client, url)
    more = re.search(r'<a class="more" href="([^"]*)"', text)
    here = len(re.findall(row, text))
    return here + (rows_of(client, unescape(more[1]), row) if more else 0)


def test_a_name_of_two_topics_filters_by_both_in_every_list(
    client: Client, tmp_path: Path
) -> None:
    task = "<task>\n<from>ann</from>\n<to>ben</to>\n<task_id>{0}</task_id>\n"
    task += "<type>write</type>\n<context>Do {0}</context>\n</task>\n"
    files = {
        f"memory/{name}.md": f"# {name}\n\n- Decided: x\n" for name in ("a b", "a#b")
    }
    files |= {"memory/tasks.md": task.format("t1")}
    workspace = imported(tmp_path, files)
    Handoff.objects.update(topic=Topic.objects.get(name="a b"))
    shared = "?topic=a-b"

    assert not Topic.objects.filter(workspace=workspace, slug="a-b")
    for page in ("decisions/", "handoffs/", "timeline/"):
        assert not notices(html(client, f"/w/acme/{page}{shared}"))
    assert "No events match" not in html(client, f"/w/acme/timeline/{shared}")
    assert "Do t1" in html(client, f"/w/acme/handoffs/{shared}")


def test_the_agent_of_handoffs_is_sender_or_recipient(
    client: Client, tmp_path: Path
) -> None:
    task = "<task>\n<from>ann</from>\n<to>ben</to>\n<task_id>t1</task_id>\n"
    task += "<type>write</type>\n<context>Grind the wheat</context>\n</task>\n"
    write(tmp_path, {"memory/tasks.md": task})
    imported(tmp_path, {})

    for agent, number in {"ann": 1, "ben": 1}.items():
        board = html(client, f"/w/acme/handoffs/?agent={agent}")
        url = f"/api/v1/workspaces/acme/handoffs?agent={agent}"
        assert ("Grind the wheat" in board) == bool(number)
        assert len(own_program().get(url).json()["data"]) == number
