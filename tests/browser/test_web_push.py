"""Web push in a real browser: subscribing makes a channel, messages are shown."""

from __future__ import annotations

import json
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.notices.push import Browser
from tests.waiting import wait_for

PageOf = Callable[..., Page]
#: The push services of vendors cannot be reached: a subscription as they give it.
SUBSCRIBE = """
Notification.requestPermission = async () => "granted";
PushManager.prototype.subscribe = async function (wanted) {{
  globalThis.wanted = [wanted.userVisibleOnly, wanted.applicationServerKey.length];
  return {{ toJSON: () => ({subscription}) }};
}};
"""
#: A browser without a screen shows no notifications.
SHOW = """
self.shown = [];
ServiceWorkerRegistration.prototype.showNotification = async (...said) => {
  self.shown.push(said);
};
null;
"""


def test_this_browser_is_filled_in_and_added(page_of: PageOf, own_hub: str) -> None:
    page = page_of()
    endpoint = "https://push.example.org/send/abc"
    page.add_init_script(
        SUBSCRIBE.format(subscription=Browser().subscription(endpoint))
    )
    page.goto(f"{own_hub}/me/channels/")

    page.get_by_role("button", name="Use this browser").click()

    expect(page.get_by_label("Name", exact=True)).to_have_value("This browser")
    assert page.evaluate("globalThis.wanted") == [True, 65]
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".channels")).to_contain_text("Web push · push.example.org")


def test_a_browser_that_denies_says_so(page_of: PageOf, own_hub: str) -> None:
    page = page_of()
    page.add_init_script("Notification.requestPermission = async () => 'denied'")
    page.goto(f"{own_hub}/me/channels/")

    page.get_by_role("button", name="Use this browser").click()

    expect(
        page.locator(".hint", has_text="does not allow notifications")
    ).to_be_visible()
    expect(page.get_by_label("Address", exact=True)).to_have_value("")


def test_a_message_is_shown_by_the_worker(page_of: PageOf, own_hub: str) -> None:
    page = page_of()
    page.goto(f"{own_hub}/me/channels/")
    session = page.context.new_cdp_session(page)
    found: list[str] = []
    session.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda news: found.extend(r["registrationId"] for r in news["registrations"]),
    )
    session.send("ServiceWorker.enable")
    with page.context.expect_event("serviceworker") as begun:
        page.evaluate("navigator.serviceWorker.register('/push-worker.js')")
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    begun.value.evaluate(SHOW)
    message = {"title": "acme · Sign off", "body": "now", "url": f"{own_hub}/w/acme/"}

    delivery = {"origin": f"{own_hub}/", "registrationId": found[-1]}
    session.send(
        "ServiceWorker.deliverPushMessage", {**delivery, "data": json.dumps(message)}
    )

    wait_for(lambda: begun.value.evaluate("self.shown.length"))
    title, options = begun.value.evaluate("self.shown[0]")
    assert (title, options["body"], options["data"]["url"]) == tuple(message.values())
