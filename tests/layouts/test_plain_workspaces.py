"""Workspaces without any published format: what their pages say is so."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.values.identity import code_of
from snapshots.models import LogEntry
from snapshots.queries.open_items import open_work
from tests.layouts.test_first_minute import main_of
from tests.layouts.test_hosts_of_today import imported
from topics.models import Decision

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

_BANK = {
    "memory-bank/activeContext.md": "# Active Context\n\n## Open Questions\n\n"
    "* [2026-03-04 14:30:00] - **Umschlag** beim Verlag erfragen\n",
    "memory-bank/progress.md": "# Progress\n\n## Next Steps\n\n"
    "* [2026-03-02 09:05:00] - 校正を二回読む\n* Papier bei der Druckerei bestellen\n",
}


def test_stamped_items_of_a_bank_are_dated_and_bare_of_their_stamp(
    tmp_path: Path,
) -> None:
    works = {one.text: one for one in open_work(imported(tmp_path, _BANK))}
    assert set(works) == {
        "**Umschlag** beim Verlag erfragen",
        "校正を二回読む",
        "Papier bei der Druckerei bestellen",
    }
    since = works["校正を二回読む"].since
    assert since.isoformat().startswith("2026-03-02T09:05")


def test_a_stamped_item_of_a_bank_is_ticked_in_its_line(
    client: Client, tmp_path: Path
) -> None:
    workspace = imported(tmp_path, _BANK)
    (work,) = (w for w in open_work(workspace) if "Umschlag" in w.text)
    client.post(f"/w/acme/open-items/{work.code}/close/", {"key": "k"})
    line = (
        (tmp_path / "memory-bank/activeContext.md").read_text("utf-8").splitlines()[4]
    )
    assert "[2026-03-04 14:30:00]" in line and "Umschlag" in line
    still = {w.text for w in open_work(Workspace.objects.get()) if not w.is_done}
    assert still == {"校正を二回読む", "Papier bei der Druckerei bestellen"}


def test_each_chip_of_a_timeline_counts_the_rows_that_it_lists(
    client: Client, tmp_path: Path
) -> None:
    files = {f"notes/n{n}.md": f"# Note {n}\n\nText {n}.\n" for n in range(4)}
    log = "# 2026-03-04\n\n## 09:00 Loom\n\nDecision: warp in blue.\n"
    imported(tmp_path, {**files, "memory/2026-03-04.md": log})
    html = client.get("/w/acme/timeline/").content.decode()
    chips = re.findall(r'(?s)<a class="chip"([^>]*)>(.*?)</a>', html)
    counted, listed = {}, {}
    for attributes, chip in chips:
        address = re.search(r'href="([^"]+)"', attributes)
        number = re.search(r'class="n">(\d+)<', chip)
        if address and number:
            rows = client.get(address[1].replace("&amp;", "&")).content.decode()
            counted[address[1]] = int(number[1])
            listed[address[1]] = rows.count('<li class="ev')
    assert len(counted) > 2 and counted == listed


def test_an_undated_decision_has_the_day_of_its_file(
    client: Client, tmp_path: Path
) -> None:
    path = tmp_path / "memory/regler.md"
    path.parent.mkdir()
    path.write_text(
        "# Regler\n\nBeslut: vi säljer inte på söndagar.\n\nDecision: no"
        " sales on Sundays.\n",
        "utf-8",
    )
    os.utime(path, (1_772_000_000, 1_772_000_000))
    imported(tmp_path, {})
    page = main_of(client, "")
    assert "no sales on Sundays" in page
    assert "25 Feb" in page and "from the file" in page


def test_a_directive_of_many_days_is_shown_once(client: Client, tmp_path: Path) -> None:
    said = "Rule: never send a quote without the VAT"
    days = {
        f"memory/2026-03-0{n}.md": f"# 2026-03-0{n}\n\n## 09:00 Office\n\n{said}\n"
        for n in range(1, 6)
    }
    imported(tmp_path, days)
    card = main_of(client, "").partition("Rules noted in memory")[2]
    assert card.count("never send a quote without the VAT") == 1


def test_all_rules_can_be_seen_from_the_overview(
    client: Client, tmp_path: Path
) -> None:
    rules = "".join(f"Rule: never fire kiln {n} unattended\n\n" for n in range(60))
    user = "# User\n\n## Rules\n- Always answer in English\n"
    imported(tmp_path, {"memory/kilns.md": f"# Kilns\n\n{rules}", "USER.md": user})
    urls = re.findall(r'href="([^"]*directives/[^"]*)"', main_of(client, ""))
    assert len(urls) == 2
    directed, noted = (client.get(url).content.decode() for url in urls)
    assert "Always answer in English" in directed and "kiln 1 " not in directed

    (following,) = re.findall(r'hx-get="([^"]*before=[^"]*)"', noted)
    rest = client.get(following.replace("&amp;", "&")).content.decode()

    seen = re.findall(r"never fire kiln \d+ unattended", noted + rest)
    assert len(set(seen)) == len(seen) == 60 and "in English" not in noted + rest
    found = client.get(f"{urls[1]}&q=kiln+59").content.decode()
    assert found.count("unattended") == 1


def test_links_of_a_wiki_are_links_or_words(client: Client, tmp_path: Path) -> None:
    note = "# Kiln\n\n## Offen\n- [[glaze|Glasur]] nachbestellen\n\nSiehe [[glaze]].\n"
    workspace = imported(
        tmp_path, {"memory/kiln.md": note, "memory/glaze.md": "# Glaze\n\nBlue.\n"}
    )
    page = main_of(client, "")
    assert "[[" not in page and "Glasur nachbestellen" in page
    (work,) = open_work(workspace)
    assert "[[" not in main_of(client, "open-items/")
    item = main_of(client, f"open-items/{work.code}/")
    assert ">Glasur nachbestellen</h1>" in item
    assert 'href="/w/acme/files/memory/glaze.md"' in main_of(
        client, "files/memory/kiln.md"
    )


def test_the_list_of_workspaces_counts_open_items(
    client: Client, tmp_path: Path
) -> None:
    imported(
        tmp_path, {"memory/a.md": "# A\n\n## Offen\n- Dach flicken\n- Rinne putzen\n"}
    )
    html = client.get("/?all").content.decode()
    assert "1 file · 2 open items" in html


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("Tarde, 15h20 — bomba 2", "Tarde — bomba 2"),
        ("Abends, 19:40 – Kasse", "Abends – Kasse"),
        ("午后，15:20 — 收银", "午后 — 收银"),
    ],
)
def test_a_time_between_comma_and_dash_leaves_the_dash(
    tmp_path: Path, heading: str, title: str
) -> None:
    imported(
        tmp_path, {"bitácora/2026-03-04.md": f"# 2026-03-04\n\n## {heading}\n\nOk.\n"}
    )
    assert [entry.title for entry in LogEntry.objects.all()] == [title]


def test_a_table_says_open_in_portuguese_and_spanish(tmp_path: Path) -> None:
    table = (
        "# Horta\n\n## Pendências\n\n| Tarefa | Dono | Estado |\n| --- | --- | --- |\n"
        "| trocar o sombrite | Iara | aberto |\n| podar | Bento | abierta |\n"
        "| regar | Bento | feito |\n"
    )
    works = open_work(imported(tmp_path, {"memory/horta.md": table}))
    assert {one.text for one in works} == {"trocar o sombrite", "podar"}


def test_the_page_of_a_decision_shows_no_marks(client: Client, tmp_path: Path) -> None:
    text = "# Notes\n\n## Decisions\n- **Wool** comes from `Orkney`, see [[wool]]\n"
    imported(tmp_path, {"memory/yarn.md": text})
    row = Decision.objects.get()
    page = main_of(client, f"decisions/{code_of(row.pk)}/")
    heading = page.partition("<h1")[2].partition("</h1>")[0]
    assert "Wool comes from Orkney, see wool" in " ".join(heading.split())


def test_short_numbers_name_no_work(tmp_path: Path) -> None:
    files = {
        "memory/2026-03-02.md": "# 2026-03-02\n\n## Next\n- retry harbour 3\n",
        "memory/2026-03-04.md": "# 2026-03-04\n\n## 09:00 Ferries\n\n"
        "Scraped 3 harbours.\n",
    }
    (work,) = open_work(imported(tmp_path, files))
    assert work.state == "open"
    assert Workspace.objects.count() == 1
