"""What keeps somebody out of a page: faults that axe-core finds (WCAG and best practices), and targets that are too small."""

from axe_playwright_python.base import AXE_SCRIPT

from harness import becomes


def in_both_schemes(page, look):
    """What `look(scheme)` finds in light and in dark, on one page: loading it takes as long as looking at it."""
    found = []
    # The change of a color never ends in cards out of sight, which the browser does not draw.
    page.evaluate("() => { const sheet = new CSSStyleSheet(); sheet.replaceSync('* { transition: none !important }'); document.adoptedStyleSheets = [sheet]; }")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        becomes(0, lambda: page.evaluate("document.getAnimations().filter((animation) => animation.playState === 'running' && animation.effect.getTiming().iterations !== Infinity).length"))
        found += [(scheme, fault) for fault in look(scheme)]
    page.evaluate("() => { document.adoptedStyleSheets = []; }")
    return found


#: What axe looks for by color. All else is the same in both schemes.
COLORS = {"runOnly": ["color-contrast", "link-in-text-block"]}
ALL_BUT_COLORS = {"rules": {rule: {"enabled": False} for rule in COLORS["runOnly"]}}


#: Texts and links, but one of those that have the same place, by tags and classes up to the page, and the same style there: their
#: contrast is the same.
UNLIKE = """() => {
    const style = (element) => {
        const { color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight, textShadow, textDecorationLine } = getComputedStyle(element);
        return [element.tagName, element.className, color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight, textShadow, textDecorationLine].join();
    };
    const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    const places = new Map(), found = new Map();
    const place = (element) => {
        if (!element) return "";
        if (!places.has(element)) places.set(element, `${place(element.parentElement)}>${style(element)}${hasText(element)}`);
        return places.get(element);
    };
    for (const element of document.body.querySelectorAll("*")) {
        if ((hasText(element) || element.matches("a, input, textarea, select")) && element.checkVisibility() && !found.has(place(element))) {
            found.set(place(element), element);
        }
    }
    return [...found.values()];
}"""


def violations(page, alike=False):
    """
    What axe finds in light and in dark. It is put into each document once. With `alike`, of a long page that repeats itself, the
    colors of one of those texts that are styled alike.
    """
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_SCRIPT)

    def run(rules, within="() => document"):
        options = {"resultTypes": ["violations"], **rules}
        return page.evaluate(f"(options) => axe.run(({within})(), options).then(({{ violations }}) => violations)", options)

    def look(scheme):
        if not alike:
            found = run(COLORS if scheme == "dark" else {})
        else:
            found = run(COLORS, UNLIKE) + (run(ALL_BUT_COLORS) if scheme == "light" else [])
        return [(fault["id"], [node["html"][:160] for node in fault["nodes"]][:4]) for fault in found]

    return in_both_schemes(page, look)


def small_targets(page):
    """Buttons and links of less than 44 px, but for links within text."""
    return page.evaluate(
        """() => [...document.querySelectorAll('button, select, summary, nav a, input:not([type=radio], [type=checkbox], [type=file])')].filter((control) => {
            const at = control.getBoundingClientRect();
            if (!at.width || control.closest('.card .open') || control.matches('.open, .rename, .skip')) return false;
            return at.height < 43.5 || at.width < 43.5;
        }).map((control) => control.outerHTML.slice(0, 120))"""
    )
