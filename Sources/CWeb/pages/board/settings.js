// The settings, the calendar's address and the export.
import { heading, showAnswer } from "./answers.js";
import { Problem, uuid } from "../client/kanbase.js";
import { ability, call } from "./api.js";
import { describeTime } from "./dates.js";
import { importForm } from "./imports.js";
import { copyText } from "./menu.js";
import { el, field, panel, quiet, select, text } from "./page.js";
import { pushPanel } from "./push.js";

/** @param {App} app @param {HTMLElement} main */
export function showSettings(app, main) {
  const save = (/** @type {any} */ value) => app.engine.edit([{ type: "settings", op: "patch", id: "settings", value }]);
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  // Chrome leaves UTC out.
  const zones = new Set(["UTC", .../** @type {string[]} */ (/** @type {any} */ (Intl).supportedValuesOf?.("timeZone") ?? [own])]);
  const locale = select({ onchange: () => save({ locale: locale.value || null }) },
    [["", text.browserLanguage], ["en", "English"], ["ko", "한국어"], ["ja", "日本語"]]);
  const zone = select({ onchange: () => save({ timeZone: zone.value || null }) },
    [["", text.browserZone(own)], ...[...zones].map((name) => /** @type {const} */ ([name, name.replaceAll("_", " ")]))]);
  const theme = select({ onchange: () => save({ custom: { theme: theme.value || null } }) }, [["", text.systemTheme], ["light", text.light], ["dark", text.dark]]);
  const shortcuts = el("input", { type: "checkbox", onchange: () => save({ custom: { shortcuts: shortcuts.checked ? null : false } }) });
  const allDay = el("input", { type: "time", onchange: () => save({ allDayTime: allDay.value || null }) });
  const digest = el("input", { type: "time", onchange: () => save({ digest: digest.value || null }) });
  const digestField = field(text.digestTime, digest, quiet(text.digestHint));
  digestField.hidden = true;
  ability().then(({ features }) => { digestField.hidden = !features.includes("digest"); });
  const show = () => {
    const { timeZone, custom, ...settings } = app.model.settings;
    if (timeZone && ![...zone.options].some(({ value }) => value === timeZone)) zone.append(el("option", {}, timeZone));
    for (const [control, value] of /** @type {const} */ ([[locale, settings.locale], [zone, timeZone], [theme, custom?.theme], [allDay, settings.allDayTime ?? "09:00"], [digest, settings.digest]])) {
      // Somebody may be choosing.
      if (control !== document.activeElement) control.value = value ?? "";
    }
    shortcuts.checked = custom?.shortcuts !== false;
  };
  show();
  main.addEventListener("focusout", show);
  const calendar = calendarPanel(app);
  const imports = importForm(app);
  main.append(heading(text.screens.settings), el("section", { class: "panel form" }, field(text.language, locale), field(text.timeZone, zone), field(text.theme, theme),
    field(text.allDayTime, allDay), digestField, el("label", { class: "check" }, shortcuts, el("span", {}, text.letterKeys))), pushPanel(app), calendar.section, dataPanel(app, imports.elements));
  const stop = app.watch(show);
  return () => { main.removeEventListener("focusout", show); stop(); calendar.stop(); imports.stop(); };
}

/**
 * The address of the feed that calendar apps subscribe to.
 * @param {App} app
 */
function calendarPanel(app) {
  const place = el("div", {});
  const shown = el("div", {});
  /** The token whose address is shown. */
  let made = "";
  const show = (/** @type {string} */ query) => {
    const address = `${location.origin}/calendar.ics${query}`;
    shown.replaceChildren(el("div", { class: "note", role: "status" }, query && el("p", {}, text.calendarOnce), el("code", { tabIndex: 0 }, address),
      el("div", { class: "row" }, navigator.clipboard && el("button", { onclick: () => copyText(app, address) }, text.copy),
        el("a", { href: address.replace(/^https?:/, "webcal:") }, text.subscribe))));
  };
  const section = panel(text.calendar, el("p", {}, text.calendarHint), shown, place);
  if (app.session.token === null) {
    show("");
    return { section, stop: () => {} };
  }
  /** @type {(() => void)[]} */
  const stops = [];
  const again = () => stops.push(showAnswer(app, place, "/tokens", rows, []));
  let key = uuid();
  const make = async (/** @type {any} */ { currentTarget: button }) => {
    button.disabled = true;
    await app.attempt(async () => {
      const { id, token } = await call("POST", "/tokens", { body: { name: text.calendar, scope: "calendar" }, key });
      key = uuid();
      made = id;
      show(`?token=${token}`);
      again();
    });
    button.disabled = false;
  };
  const end = (/** @type {string} */ id) => app.attempt(async () => {
    await call("DELETE", `/tokens/${id}`);
    if (id === made) shown.replaceChildren();
    again();
  });
  const rows = (/** @type {Answer} */ answer) => {
    const mine = answer.items.filter(({ scope }) => scope === "calendar");
    const time = (/** @type {string} */ at) => describeTime(at, app.model.zone);
    // Two may be made within a minute.
    const told = (/** @type {string} */ id, /** @type {string} */ words) => (id === made ? `${words} · ${text.newAddress}` : words);
    return [
      el("ul", { class: "rows" }, ...mine.map(({ id, name, createdAt, lastUsedAt, expiresAt }) => el("li", {},
        el("div", { class: "row-words" }, el("strong", {}, told(id, name)), quiet([text.madeAt(time(createdAt)), lastUsedAt && text.lastUsed(time(lastUsedAt)), expiresAt && text.goodUntil(time(expiresAt))].filter(Boolean).join(" · "))),
        el("button", { "aria-label": told(id, text.endAddress(time(createdAt))), onclick: () => end(id) }, text.end)))),
      mine.length === 0 && quiet(text.noCalendar), el("button", { onclick: make }, text.makeAddress),
    ];
  };
  again();
  return { section, stop: () => stops.forEach((stop) => stop()) };
}

/** @param {App} app @param {HTMLElement[]} content for imports */
function dataPanel(app, content) {
  const save = (/** @type {string} */ path, /** @type {string} */ name) => app.attempt(async () => {
    const response = await call("GET", path, { raw: true, seconds: 120 });
    const file = await response.blob().catch(() => { throw new Problem(0, { code: "unreachable" }); });
    const address = URL.createObjectURL(file);
    el("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  });
  return panel(text.yourData, el("p", {}, text.dataHint),
    el("div", { class: "row" },
      el("button", { onclick: () => save("/export", "kanbase.json") }, text.exportJSON),
      el("button", { onclick: () => save("/export?format=csv", "kanbase.csv") }, text.exportCSV)), ...content);
}
