// Today, from the local data and unsent edits, with the weather; and the statistics, with a small chart of what was completed.
import { heading, showAnswer } from "./answers.js";
import { call } from "./api.js";
import { el, icon, refill } from "./dom.js";
import { categoryPill } from "./board.js";
import { move } from "./actions.js";
import { addDays, dDay, daysBetween, describeDay, describeDue, dueDay, today } from "./dates.js";
import { editDDay } from "./forms.js";
import { picture } from "./images.js";
import { columns } from "./model.js";
import { text } from "./texts.js";

const placeKey = "kanbase.place";

/** @param {App} app @param {HTMLElement} main */
export function showToday(app, main) {
  const cover = el("div", { class: "cover" });
  const coming = el("section", { class: "panel" });
  main.append(heading(text.screens.today), cover, coming);
  const sky = weather();
  const ticks = () => /** @type {HTMLElement[]} */ ([...main.querySelectorAll(".tick")]);
  const fill = () => {
    if (!app.engine.mirror.meta.has("cursor")) return cover.replaceChildren(el("p", { class: "quiet-words loading" }, text.loading));
    const focused = ticks().indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const { tasks: all, ddays, zone } = app.model;
    const now = today(zone);
    const done = [...all.values()].filter(({ status }) => status === "done").length;
    const due = [...all.values()].filter(({ status, dueDate }) => status !== "done" && dueDate)
      .sort((a, b) => Date.parse(a.dueDate ?? "") - Date.parse(b.dueDate ?? ""));
    const on = (/** @type {(day: string) => boolean} */ test) => due.filter(({ dueDate }) => test(dueDay(dueDate ?? "", zone)));
    const [overdue, dueToday] = [on((day) => day < now), on((day) => day === now)];
    cover.replaceChildren(
      panel(text.hello, [
        el("p", { class: "date" }, describeDay(now)),
        el("p", { class: "meter-words" }, text.progress(done, all.size)),
        el("meter", { min: 0, max: all.size || 1, value: done, "aria-label": text.progress(done, all.size) }), sky]),
      panel(`${text.overdue} · ${overdue.length}`, tasks(app, overdue, text.noneOverdue)),
      panel(`${text.today} · ${dueToday.length}`, tasks(app, dueToday, text.noneToday)),
      panel(text.ddays, [countdowns(app, [...ddays.values()], now),
        el("button", { type: "button", class: "add-open", onclick: () => editDDay(app, null) }, icon("plus"), text.addDDay)]));
    coming.replaceChildren(el("h2", {}, text.upcoming), ...tasks(app, on((day) => day > now).slice(0, 20), text.noneUpcoming));
    // The task that replaced the completed one.
    if (focused >= 0) (ticks()[focused] ?? ticks().at(-1) ?? main).focus();
  };
  fill();
  return app.watch(() => refill(main, fill));
}

/** @param {string} title @param {any[]} content */
function panel(title, content) {
  return el("section", { class: "panel" }, el("h2", {}, title), ...content);
}

/** @param {App} app @param {Task[]} list @param {string} empty */
function tasks(app, list, empty) {
  if (list.length === 0) return [el("p", { class: "quiet-words" }, empty)];
  return [el("ul", { class: "rows" }, ...list.slice(0, 100).map((task) => {
    const due = describeDue(task.dueDate ?? "", app.model.zone);
    const category = task.categoryId ? app.model.categories.get(task.categoryId) : null;
    return el("li", {},
      el("button", { type: "button", class: "tick", "aria-label": text.markDone(task.title), onclick: () => void move(app, task.id, { status: "done" }) }, icon("check")),
      el("button", { type: "button", class: "row-open", data: { of: task.id }, onclick: () => app.router.go({ task: task.id }) }, task.title),
      category ? categoryPill(category) : null,
      el("time", { class: `pill due ${due.urgency}`, dateTime: task.dueDate ?? "" }, due.label, due.days ? ` ${due.dDay}` : ""));
  }))];
}

/** @param {App} app @param {DDay[]} list @param {string} now */
function countdowns(app, list, now) {
  if (list.length === 0) return el("p", { class: "quiet-words" }, text.noDDays);
  const next = list.map((dday) => ({ dday, date: nextDate(dday, now), days: daysBetween(now, nextDate(dday, now)) }));
  // Future days first, soonest first; then past days, latest first.
  const order = (/** @type {number} */ days) => (days < 0 ? 1e9 - days : days);
  next.sort((a, b) => order(a.days) - order(b.days));
  return el("ul", { class: "rows" }, ...next.map(({ dday, date, days }) => el("li", {}, dday.image && picture(dday.image),
    el("button", { type: "button", class: "row-open", data: { of: dday.id }, onclick: () => editDDay(app, dday) }, dday.emoji ? `${dday.emoji} ${dday.title}` : dday.title),
    el("span", { class: "quiet-words" }, describeDay(date, now)),
    el("span", { class: "pill dday", style: { "--tint": dday.color ?? "var(--accent)" } }, dDay(days)))));
}

/**
 * The date, or the next occurrence of a yearly one; 29 February is the 28th in common years.
 * @param {{date: string, repeats: string}} dday
 * @param {string} now
 */
export function nextDate({ date, repeats }, now) {
  if (repeats !== "yearly") return date;
  let next = date;
  for (let year = Number(now.slice(0, 4)); next < now; year += 1) {
    next = date.endsWith("-02-29") ? addDays(`${year}-03-01`, -1) : `${year}${date.slice(4)}`;
  }
  return next;
}

/** The weather here, once the person asked for it; nothing where the server has none. */
function weather() {
  const sky = el("p", { class: "weather" });
  const place = localStorage.getItem(placeKey);
  if (place) call("GET", `/weather?${place}`).then((answer) => { sky.textContent = text.weather(answer); }, () => {});
  else if ("geolocation" in navigator) {
    sky.append(el("button", {
      type: "button", class: "link", onclick: () => navigator.geolocation.getCurrentPosition(({ coords }) => {
        // A tenth of a degree is all that the weather needs, and all that is kept.
        localStorage.setItem(placeKey, `latitude=${coords.latitude.toFixed(1)}&longitude=${coords.longitude.toFixed(1)}`);
        location.reload();
      }),
    }, text.showWeather));
  }
  return sky;
}

/** @param {App} app @param {HTMLElement} main */
export function showStats(app, main) {
  const place = el("div", { class: "cover" });
  main.append(heading(text.screens.stats), place);
  return showAnswer(app, place, `/stats?timeZone=${encodeURIComponent(app.model.zone)}`, (stats) => [
    el("section", { class: "panel figures" },
      figure(text.all, stats.total), ...columns.map((status) => figure(text[status], stats.byStatus[status])),
      figure(text.overdue, stats.overdue, stats.overdue > 0), figure(text.dueToday, stats.dueToday)),
    el("section", { class: "panel" }, el("h2", {}, text.donePercent(stats.percentDone)),
      el("meter", { min: 0, max: 100, value: stats.percentDone, "aria-label": text.donePercent(stats.percentDone) })),
    el("section", { class: "panel" }, el("h2", {}, text.completedByDay), chart(stats.completedByDay)),
    el("section", { class: "panel" }, el("h2", {}, text.byCategory),
      el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, text.category), el("th", { scope: "col" }, text.done), el("th", { scope: "col" }, text.all))),
        el("tbody", {}, ...stats.byCategory.map((/** @type {any} */ row) => el("tr", {},
          el("th", { scope: "row" }, categoryPill(app.model.categories.get(row.categoryId) ?? { name: row.name, color: null, emoji: null })),
          el("td", {}, row.done), el("td", {}, row.total)))))),
  ]);
}

/** @param {string} label @param {number} value @param {boolean} [isBad] */
function figure(label, value, isBad = false) {
  return el("div", { class: isBad ? "figure bad" : "figure" }, el("strong", {}, value.toLocaleString()), el("span", {}, label));
}

/**
 * Bars of thirty days, with the same figures as text for screen readers.
 * @param {{date: string, count: number}[]} days
 */
function chart(days) {
  const most = Math.max(1, ...days.map(({ count }) => count));
  const total = days.reduce((sum, { count }) => sum + count, 0);
  const best = days.find(({ count }) => count === most);
  const words = total === 0 ? text.nothingDone : text.chartWords(total, most, describeDay(best?.date ?? days[0].date, days[0].date));
  const bars = days.map(({ date, count }) => el("div", {
    class: count ? "bar" : "bar none", style: { "--part": count / most }, title: `${describeDay(date, date)}: ${count}`,
  }));
  return el("figure", {},
    el("div", { class: "chart", role: "img", "aria-label": words }, ...bars),
    el("figcaption", {}, words));
}
