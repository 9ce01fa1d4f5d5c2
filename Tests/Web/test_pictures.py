"""The main screens look as they should: nothing overlaps, and with KANBASE_PICTURES=FOLDER they are kept as pictures."""

import datetime
import os

import pytest

from harness import ROOT, becomes, loaded, saved

FOLDER = os.environ.get("KANBASE_PICTURES")

BOARD = {
    "en": {
        "categories": [("Work", "#0369a1", "💼"), ("Home", "#b45309", "🏡"), ("Reading", "#4338ca", "📚")],
        "tasks": [
            ("todo", "Write the quarterly report", "Numbers are in the shared folder; ask Jin for the chart of March.", 0, 2),
            ("todo", "Call mum", "", 1, 0), ("todo", "Fix the leaking tap before the guests come", "", 1, -3),
            ("todo", "Read “The Dispossessed”", "", 2, None), ("todo", "Book the train to Busan", "Window seat, two of us.", None, 12),
            ("doing", "Prepare slides for Monday", "", 0, 1), ("doing", "Paint the balcony", "Two coats; the second one on Sunday.", 1, None),
            ("doing", "Plan the garden", "", 1, 5), ("done", "Send the invoice", "", 0, -5), ("done", "Water the plants", "", 1, None),
            ("done", "Finish chapter 3", "", 2, -1),
        ],
    },
    "ko": {
        "categories": [("회사", "#0369a1", "💼"), ("집", "#b45309", "🏡"), ("공부", "#4338ca", "📚")],
        "tasks": [
            ("todo", "분기 보고서 쓰기", "숫자는 공유 폴더에. 3월 그래프는 진 씨에게 부탁.", 0, 2), ("todo", "어머니께 전화", "", 1, 0),
            ("todo", "손님 오기 전에 수도꼭지 고치기", "", 1, -3), ("todo", "부산행 기차표 예매", "창가 자리, 두 사람.", None, 12),
            ("doing", "월요일 발표 자료 준비", "", 0, 1), ("doing", "베란다 칠하기", "두 번. 두 번째는 일요일에.", 1, None),
            ("done", "세금계산서 보내기", "", 0, -5), ("done", "화분에 물 주기", "", 1, None),
        ],
    },
    "ja": {
        "categories": [("仕事", "#0369a1", "💼"), ("家", "#b45309", "🏡"), ("勉強", "#4338ca", "📚")],
        "tasks": [
            ("todo", "四半期報告を書く", "数字は共有フォルダに。三月のグラフは陣さんへ。", 0, 2), ("todo", "母に電話する", "", 1, 0),
            ("todo", "来客までに蛇口を直す", "", 1, -3), ("todo", "釜山行きの切符を予約", "窓側、二人分。", None, 12),
            ("doing", "月曜の発表資料", "", 0, 1), ("doing", "ベランダを塗る", "二度塗り。二度目は日曜。", 1, None),
            ("done", "請求書を送る", "", 0, -5), ("done", "植木に水をやる", "", 1, None),
        ],
    },
}


def fill(server, language):
    day = lambda days: (datetime.date.today() + datetime.timedelta(days=days)).isoformat()
    words = BOARD[language]
    ids = [server.call("POST", "/categories", {"name": name, "color": color, "emoji": emoji})["id"] for name, color, emoji in words["categories"]]
    for status, title, body, category, days in words["tasks"]:
        server.task(
            title, body=body, status=status, categoryId=None if category is None else ids[category],
            dueDate=None if days is None else day(days),
        )
    server.call("POST", "/ddays", {"title": {"en": "Exam", "ko": "시험", "ja": "試験"}[language], "date": day(23), "emoji": "📝", "color": "#4338ca"})
    server.call("POST", "/ddays", {"title": {"en": "Wedding day", "ko": "결혼기념일", "ja": "結婚記念日"}[language], "date": "2019-05-18", "repeats": "yearly", "emoji": "💍", "color": "#be123c"})


@pytest.mark.parametrize(
    "name, language, scheme, size, address",
    [
        ("board", "en", "light", (1280, 800), "/"),
        ("board-dark", "ja", "dark", (1280, 800), "/"),
        ("tablet", "ko", "light", (820, 1100), "/"),
        ("phone", "ko", "light", (390, 844), "/"),
        ("phone-dark", "en", "dark", (390, 844), "/"),
        ("today", "en", "light", (1280, 800), "/?screen=today"),
        ("statistics", "en", "dark", (1280, 800), "/?screen=stats"),
        ("editor", "en", "light", (1280, 800), "task"),
    ],
)
def test_pictures(browser, server, name, language, scheme, size, address):
    fill(server, language)
    options = {"viewport": {"width": size[0], "height": size[1]}, "color_scheme": scheme, "reduced_motion": "reduce"}
    page = browser(language, has_touch=size[0] < 1000, **options).new_page()
    if address == "task":
        address = f"/?task={server.tasks()[0]['id']}"
    page.goto(server.url + address)
    saved(page)
    page.wait_for_selector(".card, .rows, .figure")
    loaded(page)
    page.evaluate("() => document.fonts.ready.then(() => true)")
    # Controls of the frame lie beside one another.
    overlaps = lambda: page.evaluate(
        """() => {
            const controls = [...document.querySelectorAll('.top a, .top button, .top input, .column h2')].filter((control) => control.offsetWidth && !control.closest('dialog'));
            const rects = controls.map((control) => control.getBoundingClientRect());
            return rects.flatMap((a, i) => rects.slice(i + 1).flatMap((b, j) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1
                ? [controls[i].outerHTML.slice(0, 60) + ' / ' + controls[i + 1 + j].outerHTML.slice(0, 60)] : []));
        }"""
    )
    becomes([], overlaps)
    picture = page.screenshot()
    assert len(picture) > 10000
    if FOLDER:
        folder = ROOT / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.png").write_bytes(picture)
