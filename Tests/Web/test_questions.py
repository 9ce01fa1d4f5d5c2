"""Questions are asked in the reader's words, one after the other."""

import pytest
from playwright.sync_api import expect

from harness import add, make_refused_category, open_questions, saved, wait_for
from test_images import chosen, png, put
from test_session import log_in


def ask(page):
    open_questions(page)
    page.locator(".issue").first.wait_for()


@pytest.mark.unopened
def test_colors_and_pictures_are_shown_and_the_next_question_gets_the_focus(page, server):
    server.call("POST", "/categories", {"name": "Home", "color": "#0f766e"})
    put(server, "Garden")
    page.goto(server.url + "/?screen=categories")
    for name in ("Garden", "Home"):
        page.get_by_role("button", name=name, exact=True).click()
        sheet = page.locator("dialog")
        category = next(one for one in server.call("GET", "/categories")["items"] if one["name"] == name)
        if name == "Home":
            sheet.get_by_role("radio", name="Green").check()
            server.call("PATCH", f"/categories/{category['id']}", {"color": "#0369a1"})
        else:
            sheet.locator("input[type=file]").set_input_files(chosen(png(60, 60, (20, 20, 200))))
            wait_for(page, "() => document.querySelector('dialog .primary').disabled === false && document.querySelector('dialog .picture') !== null")
            image = "44444444-0000-4000-8000-000000000001"
            server.call("PUT", f"/images/{image}", png(50, 50, (20, 200, 20)))
            server.call("PATCH", f"/categories/{category['id']}", {"image": image})
        sheet.locator("button.primary").click()
        expect(sheet).to_have_count(0)
    expect(page.locator("#state")).to_have_text("2 questions")
    ask(page)

    sides = page.locator(".sides", has_text="Color").locator(".words")
    expect(sides).to_have_text(["Green", "Blue"])
    expect(sides.locator(".swatch")).to_have_count(2)
    sides = page.locator(".sides", has_text="Picture").locator(".words")
    expect(sides).to_have_text(["Picture", "Picture"])
    expect(sides.locator("img")).to_have_count(2)

    page.get_by_role("button", name="Keep mine").first.click()
    expect(page.locator(".issue")).to_have_count(1)
    expect(page.locator(".issue h3")).to_be_focused()
    page.get_by_role("button", name="Keep mine").click()
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator("#state")).to_be_focused()
    saved(page)


@pytest.mark.unopened
def test_days_and_repeats_are_words(page, server):
    dday = server.call("POST", "/ddays", {"title": "Exam", "date": "2031-05-04"})
    page.goto(server.url + "/?screen=today")
    page.locator(".row-open", has_text="Exam").click()
    page.get_by_label("Every year").check()
    page.locator("dialog input[type=date]").fill("2031-05-06")
    server.call("DELETE", f"/ddays/{dday['id']}")
    page.locator(".row-open", has_text="Exam").wait_for(state="detached")
    page.locator("dialog button.primary").click()
    ask(page)
    words = page.locator(".values .words")
    expect(words.filter(has_text="Every year")).to_have_count(1)
    expect(words.filter(has_text="Tue, May 6, 2031")).to_have_count(1)
    page.get_by_role("button", name="Discard").click()
    saved(page)


@pytest.mark.unopened
def test_what_somebody_deleted_while_its_sheet_was_open_comes_back(page, server):
    dday = server.call("POST", "/ddays", {"title": "Exam", "date": "2031-05-04"})
    page.goto(server.url + "/?screen=today")
    page.locator(".row-open", has_text="Exam").click()
    page.locator("dialog input").first.fill("Final exam")
    server.call("DELETE", f"/ddays/{dday['id']}")
    page.locator(".row-open", has_text="Exam").wait_for(state="detached")
    page.locator("dialog button.primary").click()
    ask(page)
    page.get_by_role("button", name="Restore and save").click()
    expect(page.locator(".row-open", has_text="Final exam")).to_be_visible()
    saved(page)
    [now] = server.call("GET", "/ddays")["items"]
    assert (now["title"], now["date"]) == ("Final exam", "2031-05-04")


DISABLED = {"en": "This account is disabled.", "ko": "운영자가 멈춘 계정입니다.", "ja": "運営者が停止したアカウントです。"}


def test_the_log_in_is_refused_in_the_pages_language(browser, guarded):
    guarded.run("account", "disable", "sun@example.org")
    for language, words in DISABLED.items():
        page = browser(language).new_page()
        page.goto(guarded.url)
        log_in(page)
        expect(page.locator(".fault")).to_contain_text(words)


def test_a_refused_edit_says_why_in_the_pages_language(browser, server):
    page = browser("ko").new_page()
    page.goto(server.url + "/?screen=categories")
    make_refused_category(page, "새 분류", "집")
    ask(page)
    expect(page.locator(".issue .fault")).to_have_text("서버가 이 변경을 받지 않았습니다. 이모지: 형식이 맞지 않습니다.")


def test_what_the_page_has_no_words_for_is_told_as_the_server_tells_it(browser, server):
    page = browser("ko").new_page()
    page.route("**/sync", lambda route: route.fulfill(json={"results": [
        {"mutationId": one["mutationId"], "status": "rejected", "problem": {"code": "of_tomorrow", "detail": "Not on Sundays."}}
        for one in route.request.post_data_json["mutations"]]}))
    page.goto(server.url)
    add(page, "보고서")
    ask(page)
    expect(page.locator(".issue .fault")).to_contain_text("Not on Sundays.")
