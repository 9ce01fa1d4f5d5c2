"""Pictures of categories, D-days and the account: chosen, dropped, pasted, shown, and refused in words."""

import random
import struct
import zlib

import pytest
from playwright.sync_api import expect

from barriers import small_targets, violations
from harness import Server, becomes, card, installed, loaded, saved, wait_for
from test_session import log_in


def png(width, height, color=(180, 40, 40)):
    """A picture of one color."""
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + bytes(color) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def chosen(content, name="picture.png", kind="image/png"):
    return {"name": name, "mimeType": kind, "buffer": content}


def put(server, category="Garden", color=(180, 40, 40)):
    """A category with a picture."""
    image = f"33333333-0000-4000-8000-{random.getrandbits(48):012x}"
    server.call("PUT", f"/images/{image}", png(40, 40, color))
    return server.call("POST", "/categories", {"name": category, "image": image})


def pictures(page, selector):
    """The widths of the pictures that are drawn."""
    return page.evaluate("(selector) => [...document.querySelectorAll(selector)].map((image) => image.complete && image.naturalWidth)", selector)


def open_category(page, server, name):
    page.goto(server.url + "/?screen=categories")
    page.get_by_role("button", name=name, exact=True).click()
    page.wait_for_selector("dialog.sheet[open]")


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_a_category_gets_a_picture_that_its_cards_show(browser, server, size):
    page = browser(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce", has_touch=size[0] < 700).new_page()
    open_category(page, server, "New category")
    page.locator("dialog input").first.fill("Garden")
    page.locator("dialog input[type=file]").set_input_files(chosen(png(1600, 900)))
    # It is made small before it is sent.
    becomes([512], lambda: pictures(page, "dialog .picture"))
    expect(page.locator("dialog button.primary")).to_be_enabled()
    assert violations(page) + small_targets(page) == []
    page.locator("dialog button.primary").click()
    saved(page)
    [category] = server.call("GET", "/categories")["items"]
    assert category["name"] == "Garden" and category["image"]

    becomes([512], lambda: pictures(page, ".rows .picture"))
    assert violations(page) == []
    server.task("Weeding", categoryId=category["id"])
    page.goto(server.url)
    becomes([512], lambda: pictures(page, ".card .picture"))
    assert violations(page) == []
    expect(card(page, "Weeding")).to_contain_text("Garden")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_a_picture_is_replaced_and_removed(page, server):
    before = put(server)
    open_category(page, server, "Garden")
    becomes([40], lambda: pictures(page, "dialog .picture"))
    page.locator("dialog input[type=file]").set_input_files(chosen(png(60, 30)))
    becomes([60], lambda: pictures(page, "dialog .picture"))
    page.locator("dialog button.primary").click()
    saved(page)
    after = server.call("GET", f"/categories/{before['id']}")
    assert after["image"] not in (None, before["image"])
    becomes([60], lambda: pictures(page, ".rows .picture"))

    page.get_by_role("button", name="Garden", exact=True).click()
    page.get_by_role("button", name="Remove the picture").click()
    expect(page.get_by_role("button", name="Add a picture…")).to_be_focused()
    page.locator("dialog button.primary").click()
    saved(page)
    assert server.call("GET", f"/categories/{before['id']}")["image"] is None
    expect(page.locator(".rows .picture")).to_have_count(0)


@pytest.mark.parametrize("way", ["drop", "paste"])
def test_a_picture_is_dropped_and_pasted(page, server, way):
    server.call("POST", "/categories", {"name": "Garden"})
    open_category(page, server, "Garden")
    page.evaluate(
        """([way, bytes]) => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(bytes)], 'picture.png', { type: 'image/png' }));
            const field = document.querySelector('dialog input');
            field.dispatchEvent(way === 'drop' ? new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
                : new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
        }""",
        [way, list(png(30, 30))],
    )
    becomes([30], lambda: pictures(page, "dialog .picture"))
    page.locator("dialog button.primary").click()
    saved(page)
    assert server.call("GET", "/categories")["items"][0]["image"]


REFUSED = {
    "en": ("Add a picture…", "too large", "no picture that the server knows", "account is full"),
    "ko": ("사진 추가…", "너무 큽니다", "알 수 없는 사진", "자리가 없습니다"),
    "ja": ("写真を追加…", "大きすぎます", "使えません", "空きがありません"),
}


def test_what_the_server_refuses_is_told_in_words(browser):
    server = Server("--auth", "required", "--rate-limit", "0", "--account-bytes", "1MiB", sun=True)
    try:
        token = server.token
        noise = random.Random(7).randbytes
        # The browser cannot draw these, and the server goes by their first bytes. There is room for one.
        large = [chosen(b"\x89PNG\r\n\x1a\n" + noise(900_000)) for _ in range(2)]
        for language, (add, too_large, unknown, full) in REFUSED.items():
            server.call("POST", "/categories", {"name": language}, token)
            page = browser(language).new_page()
            page.goto(server.url)
            log_in(page)
            saved(page)
            open_category(page, server, language)
            fault, file = page.locator(".pictures .fault"), page.locator("dialog input[type=file]")
            expect(page.get_by_role("button", name=add)).to_be_visible()
            file.set_input_files(chosen(noise(1_200_000)))
            expect(fault).to_contain_text(too_large)
            file.set_input_files(chosen(b"Dear diary", "diary.txt", "text/plain"))
            expect(fault).to_contain_text(unknown)
            if language == "en":
                file.set_input_files(large[0])
                expect(page.locator(".pictures .quiet")).to_be_visible()
            file.set_input_files(large[1])
            expect(fault).to_contain_text(full)
            file.set_input_files(chosen(png(20, 20)))
            becomes([20], lambda: pictures(page, "dialog .picture"))
            expect(fault).to_be_empty()
    finally:
        server.close()


@pytest.mark.worker
def test_pictures_are_shown_without_a_server_and_wait_for_it_to_be_changed(page, server):
    category = put(server)
    server.task("Weeding", categoryId=category["id"])
    installed(page)
    becomes([40], lambda: pictures(page, ".card .picture"))
    server.stop()
    page.reload()
    page.wait_for_selector("#state[data-kind=offline]")
    becomes([40], lambda: pictures(page, ".card .picture"))
    open_category(page, server, "Garden")
    page.locator("dialog input[type=file]").set_input_files(chosen(png(20, 20)))
    expect(page.locator(".pictures .fault")).to_have_text("The server cannot be reached.")
    becomes([40], lambda: pictures(page, "dialog .picture"))


@pytest.mark.unopened
def test_a_d_day_has_a_picture(page, server):
    page.goto(server.url + "/?screen=today")
    page.get_by_role("button", name="Add a D-day").click()
    page.locator("dialog input").first.fill("Wedding")
    page.locator("dialog input[type=date]").fill("2019-05-18")
    page.locator("dialog input[type=file]").set_input_files(chosen(png(50, 50)))
    becomes([50], lambda: pictures(page, "dialog .picture"))
    page.locator("dialog button.primary").click()
    saved(page)
    assert server.call("GET", "/ddays")["items"][0]["image"]
    becomes([50], lambda: pictures(page, ".rows .picture"))


def test_an_account_has_a_picture_that_needs_its_token(browser, guarded):
    token = guarded.token
    page = browser().new_page()
    page.goto(guarded.url)
    log_in(page)
    saved(page)
    page.goto(guarded.url + "/?screen=account")
    page.get_by_role("button", name="Add a picture…").wait_for()
    loaded(page)
    page.locator(".pictures input[type=file]").set_input_files(chosen(png(50, 50)))
    becomes([50], lambda: pictures(page, ".pictures .picture"))
    becomes(True, lambda: guarded.call("GET", "/account", token=token)["image"] is not None)
    page.reload()
    becomes([50], lambda: pictures(page, ".pictures .picture"))
    assert violations(page) + small_targets(page) == []
    wait_for(page, "() => [...document.images].every(({ src }) => !src.includes('/images/'))")
