"""Pages with their filters that a person keeps under a name."""

from __future__ import annotations

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.people.models import SavedView
from memoryhub.people.policy import operator
from memoryhub.people.services.saved_views import MOST_VIEWS, save_view, view_address
from tests.factories import make_workspace_row

pytestmark = pytest.mark.django_db

URL = "/w/acme/views/"
BLOCKED = "topics/?state=blocked"


@pytest.fixture(autouse=True)
def workspace(db: None) -> Workspace:
    return make_workspace_row("acme")


def page(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return response.content.decode().replace("&amp;", "&")


@pytest.mark.parametrize(
    "address", ["timeline/?q=a+b", "decisions/?state=open", BLOCKED]
)
def test_a_filtered_page_can_be_saved(client: Client, address: str) -> None:
    html = page(client, f"/w/acme/{address}")
    assert f'name="address" value="{address}"' in html

    answer = client.post(URL, {"name": "Mine", "address": address})

    assert (answer.status_code, answer["Location"]) == (303, f"/w/acme/{address}")
    assert "Saved as “Mine”" in page(client, f"/w/acme/{address}")


@pytest.mark.parametrize("address", ["timeline/", "topics/?q=", "decisions/?page=2"])
def test_without_a_filter_there_is_nothing_to_save(
    client: Client, address: str
) -> None:
    assert "Save this view" not in page(client, f"/w/acme/{address}")


def test_saved_views_are_in_the_sidebar_of_every_page(
    client: Client, workspace: Workspace
) -> None:
    save_view(operator(), workspace, "Stuck <b>", BLOCKED)

    html = page(client, "/w/acme/files/")

    assert f'<a href="/w/acme/{BLOCKED}">' in html
    assert "Stuck &lt;b&gt;" in html


def test_one_of_the_same_name_leads_elsewhere_from_then_on(client: Client) -> None:
    for address in (BLOCKED, "timeline/?kind=decision"):
        client.post(URL, {"name": "Mine", "address": address})

    assert SavedView.objects.get().address == "timeline/?kind=decision"


def test_it_is_removed_where_it_leads(client: Client, workspace: Workspace) -> None:
    view = save_view(operator(), workspace, "Mine", BLOCKED)
    place = f"/w/acme/{BLOCKED}"
    assert f'action="{URL}{view.pk}/delete/"' in page(client, place)

    answer = client.post(f"{URL}{view.pk}/delete/", {"next": place})

    assert (answer.status_code, answer["Location"]) == (303, place)
    assert not SavedView.objects.exists()
    assert client.post(f"{URL}{view.pk}/delete/").status_code == 404


@pytest.mark.parametrize(
    "address",
    ["", "//evil.example/", "https://evil.example/?q=1", "files/?q=x", "timeline/"],
)
def test_other_addresses_are_refused(client: Client, address: str) -> None:
    answer = client.post(URL, {"name": "Mine", "address": address})

    assert answer.status_code == 422 and not SavedView.objects.exists()


def test_a_view_needs_a_name(client: Client) -> None:
    answer = client.post(URL, {"name": " ", "address": BLOCKED})

    assert answer.status_code == 422
    assert f'value="{BLOCKED}"' in answer.content.decode()


def test_there_are_only_so_many(client: Client, workspace: Workspace) -> None:
    for number in range(MOST_VIEWS):
        save_view(operator(), workspace, str(number), BLOCKED)

    answer = client.post(URL, {"name": "Mine", "address": BLOCKED})

    assert answer.status_code == 422 and "remove one first" in answer.content.decode()
    assert client.post(URL, {"name": "1", "address": BLOCKED}).status_code == 303


def test_views_of_other_people_and_workspaces_stay(
    client: Client, workspace: Workspace
) -> None:
    other = make_workspace_row("other")
    view = save_view(operator(), other, "Mine", BLOCKED)

    assert client.post(f"{URL}{view.pk}/delete/").status_code == 404
    assert "Mine" not in page(client, f"/w/acme/{BLOCKED}")
    assert client.get(URL).status_code == 405
    assert client.post("/w/nobody/views/").status_code == 404


def test_a_place_in_a_list_is_not_saved() -> None:
    assert view_address("timeline/?kind=note&before=x&at=y") == "timeline/?kind=note"
    assert view_address("timeline/?q=" + "a" * 2_000) == ""
