"""Notifications of the browser: the switch, the subscription, and what the service worker shows and does."""

import json

import pytest
from playwright.sync_api import expect

from harness import CHROMIUM, Server, becomes, card, installed, launched, saved, shows
from test_session import log_in

pytestmark = pytest.mark.worker


@pytest.fixture(scope="module")
def chromium(playwright):
    """The whole browser: without its windows it grants no notifications."""
    with launched(playwright, CHROMIUM) as browser:
        yield browser


TASK = "11111111-2222-4333-8444-555555555555"
PUSHING = ("--public-url", "https://kanbase.example.org", "--web-push-service", "push.example.org")

#: A stand-in for the browser's push service, which the tests cannot reach. Another key needs another subscription, as in browsers.
STAND_IN = """() => {
    // In a cookie, which the page does not erase.
    window.subscription = (kept) => {
        if (kept !== undefined) document.cookie = `subscription=${encodeURIComponent(JSON.stringify(kept))}`;
        return JSON.parse(decodeURIComponent(document.cookie.match(/subscription=([^;]*)/)?.[1] ?? 'null'));
    };
    const wrap = (kept) => kept && { toJSON: () => kept, unsubscribe: async () => { subscription(null); return true; } };
    const base64 = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/[+]/g, '-').replace(/[/]/g, '_').replace(/=/g, '');
    PushManager.prototype.getSubscription = async () => wrap(subscription());
    PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
        if (!userVisibleOnly) throw new DOMException('', 'NotAllowedError');
        const key = base64(applicationServerKey);
        const kept = subscription();
        if (kept && kept.key !== key) throw new DOMException('', 'InvalidStateError');
        if (kept) return wrap(kept);
        const pair = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']);
        const made = {
            endpoint: `https://push.example.org/${Math.random()}`, key,
            keys: { p256dh: base64(new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))), auth: base64(crypto.getRandomValues(new Uint8Array(16))) },
        };
        return wrap(subscription(made));
    };
}"""


@pytest.fixture
def pushing():
    server = Server("--auth", "open", *PUSHING)
    yield server
    server.close()


@pytest.fixture
def guarded_pushing():
    server = Server("--auth", "required", "--rate-limit", "0", *PUSHING, sun=True)
    yield server
    server.close()


def allowed(browser, server):
    """A context whose pages may notify."""
    context = browser()
    context.add_init_script(f"({STAND_IN})()")
    context.grant_permissions(["notifications"], origin=server.url)
    return context


def open_settings(context, server):
    page = context.new_page()
    page.goto(server.url + "/?screen=settings")
    return page


def switch(page):
    return page.get_by_label("Remind me in this browser")


def devices(server, token=None):
    return server.call("GET", "/devices", token=token)["items"]


class Worker:
    """The service worker of a page, which gets pushes and clicks without a push service and a person."""

    def __init__(self, page, server):
        installed(page)
        # Where the worker may open a window, only a person's press lets it.
        [self.worker] = page.context.service_workers
        self.worker.evaluate(
            """() => {
                self.opened = [];
                self.clients.openWindow = async (address) => { self.opened.push(address); };
                self.shows = 0;
                const show = ServiceWorkerRegistration.prototype.showNotification;
                ServiceWorkerRegistration.prototype.showNotification = async function (...words) { await show.apply(this, words); self.shows += 1; };
            }"""
        )
        self.session = page.context.new_cdp_session(page)
        self.origin = server.url
        found = []
        self.session.on("ServiceWorker.workerVersionUpdated", lambda event: found.extend(event["versions"]))
        self.session.send("ServiceWorker.enable")
        # What is pushed before it is active may be lost. Playwright reads events while it is asked something.
        active = lambda: [version["registrationId"] for version in found if version["status"] == "activated"]
        becomes(True, lambda: page.evaluate("() => true") and len(active()) > 0)
        self.registration = active()[0]

    def push(self, payload):
        data = payload if isinstance(payload, str) else json.dumps(payload)
        before = self.worker.evaluate("() => self.shows")
        self.session.send("ServiceWorker.deliverPushMessage", {"origin": self.origin, "registrationId": self.registration, "data": data})
        # A page that asks the browser for its notifications while it makes one may lose that one.
        becomes(before + 1, lambda: self.worker.evaluate("() => self.shows"))

    def shown(self):
        return self.worker.evaluate(
            """async () => (await self.registration.getNotifications()).map(({ title, tag, data, actions }) =>
                [title, tag, data.taskId, actions.map(({ title }) => title)])"""
        )

    def clear(self):
        """Takes away what is shown."""
        self.worker.evaluate("async () => { for (const shown of await self.registration.getNotifications()) shown.close(); }")

    def press(self, action=""):
        """Presses the notification that is shown."""
        self.worker.evaluate(
            """async (action) => {
                const [notification] = await self.registration.getNotifications();
                const { taskId } = notification.data;
                await (action === 'done' ? complete(taskId, notification) : showTask(taskId, notification));
            }""",
            action,
        )

    def opened(self):
        return self.worker.evaluate("() => self.opened")


def reminder(title="Reminder", **members):
    return {"title": title, "kind": "reminder", "notificationId": f"{TASK}/PT0S", "taskId": TASK, "fireAt": "2031-05-04T09:00:00.000Z", **members}


def test_the_switch_registers_this_browser_and_ends_it(browser, pushing):
    page = open_settings(allowed(browser, pushing), pushing)
    switch(page).check()
    becomes(1, lambda: len(devices(pushing)))
    expect(switch(page)).to_be_checked()
    expect(switch(page)).to_be_enabled()
    [device] = devices(pushing)
    assert (device["kind"], device["locale"]) == ("webpush", "en")
    # Without a zone the server could not tell when a day begins.
    saved(page)
    assert pushing.call("GET", "/settings")["timeZone"] == page.evaluate("() => Intl.DateTimeFormat().resolvedOptions().timeZone")

    with page.expect_response("**/test") as answer:
        page.get_by_role("button", name="Send a test").click()
    assert answer.value.status == 202
    page.locator(".toast", has_text="on its way").wait_for()

    switch(page).uncheck()
    becomes([], lambda: devices(pushing))
    expect(page.get_by_role("button", name="Send a test")).to_be_hidden()
    assert page.evaluate("() => [subscription(), localStorage.getItem('kanbase.device')]") == [None, None]


def test_the_board_subscribes_again_at_each_start(browser, pushing):
    context = allowed(browser, pushing)
    page = open_settings(context, pushing)
    switch(page).check()
    becomes(1, lambda: len(devices(pushing)))
    expect(switch(page)).to_be_enabled()
    [first] = devices(pushing)
    # The server forgot it, and the browser has made another subscription.
    pushing.call("DELETE", f"/devices/{first['id']}")
    page.evaluate("() => subscription(null)")
    page.goto(pushing.url)
    becomes([first["id"]], lambda: [device["id"] for device in devices(pushing)])
    # One that was made with another key of the server is ended.
    page.evaluate("() => subscription({ ...subscription(), key: 'another' })")
    with page.expect_response(lambda answer: "/devices/" in answer.url and answer.status == 200):
        page.reload()
    assert page.evaluate("() => subscription().key") != "another"


def test_logging_out_ends_the_notifications(browser, guarded_pushing):
    token = guarded_pushing.token
    context = allowed(browser, guarded_pushing)
    page = open_settings(context, guarded_pushing)
    log_in(page)
    switch(page).check()
    becomes(1, lambda: len(devices(guarded_pushing, token)))
    expect(switch(page)).to_be_enabled()
    worker = Worker(page, guarded_pushing)
    worker.push(reminder("Secret"))
    becomes(1, lambda: len(worker.shown()))
    page.locator("#more").click()
    page.get_by_role("menuitem", name="Log out").click()
    page.wait_for_selector(".entry [name=password]")
    becomes([], lambda: devices(guarded_pushing, token))
    becomes(None, lambda: page.evaluate("() => subscription()"))
    becomes([], worker.shown)


@pytest.mark.unopened
def test_there_is_no_switch_where_the_server_notifies_no_browser(page, server):
    with page.expect_response("**/health/ready"):
        page.goto(server.url + "/?screen=settings")
    saved(page)
    expect(page.get_by_role("heading", name="Calendar")).to_be_visible()
    expect(switch(page)).to_be_hidden()


def test_a_browser_that_forbids_it_is_told_of(browser, pushing):
    page = open_settings(browser(), pushing)
    switch(page).click()
    page.locator(".toast", has_text="does not allow").wait_for()
    expect(switch(page)).not_to_be_checked()
    assert devices(pushing) == []


@pytest.mark.parametrize("script, words", [
    ("Object.defineProperty(Navigator.prototype, 'standalone', { value: false })", "Add to Home Screen"),
    ("delete window.PushManager", "takes no notifications"),
])
def test_a_browser_that_cannot_is_told_of(browser, pushing, script, words):
    context = browser()
    context.add_init_script(script)
    page = open_settings(context, pushing)
    expect(page.locator(".note", has_text=words)).to_be_visible()
    expect(switch(page)).to_be_disabled()


def test_a_push_is_shown_with_the_title_of_this_device(browser, pushing):
    pushing.task("Buy milk", id=TASK)
    pushing.call("PATCH", "/settings", {"locale": "ko"})
    context = allowed(browser, pushing)
    page = context.new_page()
    page.goto(pushing.url)
    # It is loaded again in the language of the account.
    page.wait_for_selector("html[lang=ko] .card")
    worker = Worker(page, pushing)
    worker.push(reminder())
    becomes([["Buy milk", f"{TASK}/PT0S", TASK, ["완료"]]], worker.shown)
    # The same again is one notification.
    worker.push(reminder())
    becomes([["Buy milk", f"{TASK}/PT0S", TASK, ["완료"]]], worker.shown)


def test_every_push_is_shown(browser, pushing):
    page = allowed(browser, pushing).new_page()
    page.goto(pushing.url)
    saved(page)
    worker = Worker(page, pushing)
    for payload, wanted in [
        ("no JSON", ["Kanbase", "", None, []]),
        ("", ["Kanbase", "", None, []]),
        ("null", ["Kanbase", "", None, []]),
        ({"title": {"a": 1}, "taskId": "https://evil.example.org", "notificationId": 7}, ["Kanbase", "", None, []]),
        ({"title": "<b>x</b>", "taskId": "//evil.example.org"}, ["<b>x</b>", "", None, []]),
        ({"title": "Reminder", "kind": "test", "notificationId": "test"}, ["Reminder", "test", None, []]),
        (reminder("Unknown here"), ["Unknown here", f"{TASK}/PT0S", TASK, ["Done"]]),
    ]:
        worker.push(payload)
        becomes([wanted], worker.shown)
        worker.clear()
        becomes([], worker.shown)


def test_a_press_opens_the_task(browser, pushing):
    pushing.task("Buy milk", id=TASK)
    context = allowed(browser, pushing)
    page = context.new_page()
    page.goto(pushing.url + "/docs")
    page.goto(pushing.url)
    shows(page, todo=["Buy milk"])
    worker = Worker(page, pushing)
    worker.worker.evaluate("() => { WindowClient.prototype.focus = async () => {}; }")
    worker.push(reminder())
    becomes(1, lambda: len(worker.shown()))
    worker.press()
    expect(page.locator("dialog.editor [name=title]")).to_have_value("Buy milk")
    becomes([], worker.shown)
    assert worker.opened() == []

    # A board that cannot be focused, and none. The browser closes what is pressed a moment later, and whatever has its tag by then.
    worker.worker.evaluate("() => { WindowClient.prototype.focus = async () => { throw new Error(); }; }")
    worker.push(reminder(notificationId="again"))
    becomes(1, lambda: len(worker.shown()))
    worker.press()
    becomes([], worker.shown)
    page.goto(pushing.url + "/docs")
    worker.push(reminder(notificationId="the third"))
    becomes(1, lambda: len(worker.shown()))
    worker.press()
    assert worker.opened() == [f"/?task={TASK}"] * 2


def test_done_completes_the_task_in_an_open_board(browser, pushing):
    pushing.task("Buy milk", id=TASK)
    context = allowed(browser, pushing)
    page, other = context.new_page(), context.new_page()
    for one in (other, page):
        # A browser with windows draws nothing in a tab behind another.
        one.bring_to_front()
        one.goto(pushing.url)
        shows(one, todo=["Buy milk"])
    worker = Worker(page, pushing)
    worker.push(reminder())
    becomes(1, lambda: len(worker.shown()))
    worker.press("done")
    for one in (page, other):
        shows(one, todo=[], done=["Buy milk"])
    saved(page)
    assert pushing.call("GET", f"/tasks/{TASK}")["status"] == "done"
    assert worker.opened() == []
    # Once: what is undone stays undone.
    card(page, "Buy milk").locator(".tick").click()
    shows(page, todo=["Buy milk"])
    page.reload()
    shows(page, todo=["Buy milk"])


def test_done_without_a_board_is_done_by_the_next_one(browser, pushing):
    pushing.task("Buy milk", id=TASK)
    context = allowed(browser, pushing)
    page = context.new_page()
    page.goto(pushing.url)
    shows(page, todo=["Buy milk"])
    worker = Worker(page, pushing)
    page.goto(pushing.url + "/docs")
    worker.push(reminder())
    becomes(1, lambda: len(worker.shown()))
    pushing.stop()
    worker.press("done")
    assert worker.opened() == ["/"]
    page.goto(pushing.url)
    shows(page, done=["Buy milk"])
    pushing.start()
    saved(page)
    becomes("done", lambda: pushing.call("GET", f"/tasks/{TASK}")["status"])


def test_done_waits_for_the_log_in_and_for_the_task(browser, guarded_pushing):
    token = guarded_pushing.token
    context = allowed(browser, guarded_pushing)
    page = context.new_page()
    page.goto(guarded_pushing.url)
    page.wait_for_selector(".entry [name=password]")
    worker = Worker(page, guarded_pushing)
    worker.push(reminder())
    becomes(1, lambda: len(worker.shown()))
    worker.press("done")
    log_in(page)
    saved(page)
    # It comes from another device only now.
    guarded_pushing.call("POST", "/tasks", {"title": "Buy milk", "id": TASK}, token)
    shows(page, todo=[], done=["Buy milk"])
    becomes("done", lambda: guarded_pushing.call("GET", f"/tasks/{TASK}", token=token)["status"])
