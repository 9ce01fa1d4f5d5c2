// The cover: what is overdue and due today, what comes, the D-days, how far one got, and the weather.
import { heading, showAnswer } from "./answers.js";
import { el, icon } from "./dom.js";
import { categoryPill } from "./card.js";
import { move } from "./actions.js";
import { describeDay, describeDue, dueDay, today } from "./dates.js";
import { editDDay } from "./forms.js";
import { picture } from "./images.js";
import { text } from "./texts.js";

/** @typedef {import("./app.js").App} App */

const placeKey = "kanbase.place";

/** @param {App} app @param {HTMLElement} main */
export function showToday(app, main) {
  const cover = el("div", { class: "cover" });
  const coming = el("section", { class: "panel" });
  main.append(heading(text.screens.today), cover, coming);
  const zone = `timeZone=${encodeURIComponent(app.model.zone)}`;
  const place = localStorage.getItem(placeKey);
  const stops = [
    showAnswer(app, cover, `/today?${zone}${place ? `&${place}` : ""}`, (answer) => [
      panel(text.hello, [
        el("p", { class: "date" }, describeDay(answer.date)),
        el("p", { class: "meter-words" }, text.progress(answer.progress.done, answer.progress.total)),
        el("meter", { min: 0, max: 100, value: answer.progress.percent, "aria-label": text.progress(answer.progress.done, answer.progress.total) }),
        weather(answer.weather, place),
      ]),
      panel(`${text.overdue} · ${answer.overdueCount ?? answer.overdue.length}`, tasks(app, answer.overdue, text.noneOverdue)),
      panel(`${text.today} · ${answer.todayCount ?? answer.today.length}`, tasks(app, answer.today, text.noneToday)),
      panel(text.ddays, [ddays(app, answer.ddays), el("button", { type: "button", class: "add-open", onclick: () => editDDay(app, null) }, icon("plus"), text.addDDay)]),
    ]),
    showAnswer(app, coming, `/upcoming?limit=20&${zone}`, (answer) => [
      el("h2", {}, text.upcoming),
      // What is due today stands above.
      ...tasks(app, answer.items.filter((/** @type {any} */ task) => dueDay(task.dueDate, app.model.zone) > today(app.model.zone)), text.noneUpcoming)]),
  ];
  return () => stops.forEach((stop) => stop());
}

/** @param {string} title @param {any[]} content */
function panel(title, content) {
  return el("section", { class: "panel" }, el("h2", {}, title), ...content);
}

/** @param {App} app @param {any[]} list @param {string} empty */
function tasks(app, list, empty) {
  if (list.length === 0) return [el("p", { class: "quiet-words" }, empty)];
  return [el("ul", { class: "rows" }, ...list.map((task) => {
    const due = describeDue(task.dueDate, app.model.zone);
    const category = task.categoryId ? app.model.categories.get(task.categoryId) : null;
    return el("li", {},
      el("button", { type: "button", class: "tick", "aria-label": text.markDone(task.title), onclick: () => void move(app, task.id, { status: "done" }) }, icon("check")),
      el("button", { type: "button", class: "row-open", onclick: () => app.router.go({ task: task.id }) }, task.title),
      category ? categoryPill(category) : null,
      el("time", { class: `pill due ${due.urgency}`, dateTime: task.dueDate }, due.label, due.days ? ` ${due.dDay}` : ""));
  }))];
}

/** @param {App} app @param {any[]} list */
function ddays(app, list) {
  if (list.length === 0) return el("p", { class: "quiet-words" }, text.noDDays);
  const now = today(app.model.zone);
  return el("ul", { class: "rows" }, ...list.map((dday) => el("li", {}, dday.image && picture(dday.image),
    el("button", { type: "button", class: "row-open", onclick: () => editDDay(app, dday) }, dday.emoji ? `${dday.emoji} ${dday.title}` : dday.title),
    el("span", { class: "quiet-words" }, describeDay(dday.countdown?.nextDate ?? dday.date, now)),
    el("span", { class: "pill dday", style: { "--tint": dday.color ?? "var(--accent)" } }, dday.countdown?.dDay ?? ""))));
}

/** @param {any} weather @param {string | null} place */
function weather(weather, place) {
  if (weather) return el("p", { class: "weather" }, text.weather(weather));
  if (place || !("geolocation" in navigator)) return null;
  return el("button", {
    type: "button", class: "link", onclick: () => navigator.geolocation.getCurrentPosition(({ coords }) => {
      // A tenth of a degree is all that the weather needs, and all that is kept.
      localStorage.setItem(placeKey, `latitude=${coords.latitude.toFixed(1)}&longitude=${coords.longitude.toFixed(1)}`);
      location.reload();
    }),
  }, text.showWeather);
}
