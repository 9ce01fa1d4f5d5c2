// Today, statistics, history and trash; and the table of all screens.
import { showAccount } from "./account.js";
import { act, tick } from "./actions.js";
import { heading, picture, showAnswer } from "./answers.js";
import { ability, call, own } from "./api.js";
import { categoryPill } from "./board.js";
import { memberName, wordsOf } from "./conflicts.js";
import { dDay, daysBetween, describeDay, describeDue, describeTime, dueDay, nextDate, today } from "./dates.js";
import { $, el, icon, panel, quiet, refill, text } from "./page.js";
import { remembered, trashPaths } from "../client/kanbase.js";
import { editDDay, showCategories } from "./forms.js";
import { showSettings } from "./settings.js";
export { openSheet } from "./forms.js";
export { renew } from "./push.js";
import { columns } from "./model.js";

const placeKey = "kanbase.place";

/** @param {App} app @param {HTMLElement} main */
function showToday(app, main) {
  const cover = el("div", { class: "cover" });
  const coming = el("section", { class: "panel" });
  main.append(heading(text.screens.today), cover, coming);
  const sky = weather(app);
  /** @type {Map<string, number>} how many rows a list shows */
  const limits = new Map();
  const tasks = (/** @type {string} */ name, /** @type {Task[]} */ list, /** @type {string} */ empty) => {
    if (list.length === 0) return [quiet(empty)];
    const limit = limits.get(name) ?? 20;
    const more = el("button", { class: "wide", data: { of: name }, onclick: () => { limits.set(name, limit + 100); refill(main, fill); } }, `${text.showMore} (${list.length - limit})`);
    return [el("ul", { class: "rows" }, ...list.slice(0, limit).map((task) => row(app, task))), ...(list.length > limit ? [more] : [])];
  };
  const fill = () => {
    if (!app.engine.mirror.meta.has("cursor")) return cover.replaceChildren(el("p", { class: "quiet-words loading" }, text.loading));
    const { tasks: all, ddays, zone } = app.model;
    const now = today(zone);
    const done = [...all.values()].filter(({ status }) => status === "done").length;
    const due = [...all.values()].filter(({ status, dueDate }) => status !== "done" && dueDate)
      .sort((a, b) => Date.parse(a.dueDate ?? "") - Date.parse(b.dueDate ?? ""));
    const on = (/** @type {(day: string) => boolean} */ test) => due.filter(({ dueDate }) => test(dueDay(dueDate ?? "", zone)));
    const [overdue, dueToday] = [on((day) => day < now), on((day) => day === now)];
    cover.replaceChildren(
      panel(text.hello,
        el("p", { class: "date" }, describeDay(now)),
        el("p", { class: "meter-words" }, text.progress(done, all.size)),
        el("meter", { min: 0, max: all.size || 1, value: done, "aria-label": text.progress(done, all.size) }), sky),
      panel(`${text.overdue} · ${overdue.length}`, ...tasks("overdue", overdue, text.noneOverdue)),
      panel(`${text.today} · ${dueToday.length}`, ...tasks("today", dueToday, text.noneToday)),
      panel(text.ddays, countdowns(app, [...ddays.values()], now),
        el("button", { class: "add-wide", onclick: () => editDDay(app, null) }, icon("plus"), text.addDDay)));
    coming.replaceChildren(el("h2", {}, text.upcoming), ...tasks("upcoming", on((day) => day > now), text.noneUpcoming));
  };
  fill();
  return app.watch(() => refill(main, fill));
}

/** @param {App} app @param {Task} task */
function row(app, task) {
  const due = describeDue(task.dueDate ?? "", app.model.zone);
  const category = task.categoryId ? app.model.categories.get(task.categoryId) : null;
  return el("li", {},
    el("button", { class: "tick", data: { of: `done ${task.id}` }, "aria-label": text.markDone(task.title), onclick: () => tick(app, task.id) }, icon("check")),
    el("button", { class: "row-open", data: { of: task.id }, onclick: () => app.router.go({ task: task.id }) }, task.title),
    category ? categoryPill(category) : null,
    el("time", { class: `pill due ${due.urgency}`, dateTime: task.dueDate ?? "" }, due.label, due.days ? ` ${due.dDay}` : ""));
}

/** @param {App} app @param {DDay[]} list @param {string} now */
function countdowns(app, list, now) {
  if (list.length === 0) return quiet(text.noDDays);
  const next = list.map((dday) => ({ dday, date: nextDate(dday, now), days: daysBetween(now, nextDate(dday, now)) }));
  // Future days first, soonest first; then past days, latest first.
  const order = (/** @type {number} */ days) => (days < 0 ? 1e9 - days : days);
  next.sort((a, b) => order(a.days) - order(b.days));
  return el("ul", { class: "rows" }, ...next.map(({ dday, date, days }) => el("li", {}, dday.image && picture(dday.image),
    el("button", { class: "row-open", data: { of: dday.id }, onclick: () => editDDay(app, dday) }, dday.emoji ? `${dday.emoji} ${dday.title}` : dday.title),
    el("span", { class: "quiet-words" }, describeDay(date, now)),
    el("span", { class: "pill dday", style: { "--tint": dday.color ?? "var(--accent)" } }, dDay(days)))));
}

/**
 * The weather here, once the person asked for it; nothing where the server knows none.
 * @param {App} app
 */
function weather(app) {
  const sky = el("p", { class: "weather" });
  const load = async (/** @type {string} */ place) => {
    const found = await call("GET", `/weather?${place}`);
    sky.textContent = [own(text.sky, found.condition), text.weather(found)].filter(Boolean).join(" · ");
    localStorage.setItem(placeKey, place);
  };
  const place = localStorage.getItem(placeKey);
  if (place) load(place).catch(() => {});
  else if ("geolocation" in navigator) {
    ability().then(({ features }) => features.includes("weather") && sky.append(el("button", {
      class: "link", onclick: () => navigator.geolocation.getCurrentPosition(
        // A tenth of a degree is all that the weather needs, and all that is kept.
        ({ coords }) => app.attempt(() => load(`latitude=${coords.latitude.toFixed(1)}&longitude=${coords.longitude.toFixed(1)}`)),
        () => app.toast(text.noPlace, { isFault: true })),
    }, text.showWeather)));
  }
  return sky;
}

/** @param {App} app @param {HTMLElement} main */
function showStats(app, main) {
  const place = el("div", { class: "cover" });
  main.append(heading(text.screens.stats), place);
  return showAnswer(app, place, `/stats?timeZone=${encodeURIComponent(app.model.zone)}`, (stats) => [
    el("section", { class: "panel figures" },
      figure(text.all, stats.total), ...columns.map((status) => figure(text[status], stats.byStatus[status])),
      figure(text.overdue, stats.overdue, stats.overdue > 0), figure(text.dueToday, stats.dueToday)),
    panel(text.donePercent(stats.percentDone),
      el("meter", { min: 0, max: 100, value: stats.percentDone, "aria-label": text.donePercent(stats.percentDone) })),
    panel(text.completedByDay, chart(stats.completedByDay)),
    panel(text.byCategory,
      el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, text.category), el("th", { scope: "col" }, text.done), el("th", { scope: "col" }, text.all))),
        el("tbody", {}, ...stats.byCategory.map((/** @type {any} */ row) => el("tr", {},
          el("th", { scope: "row" }, categoryPill(app.model.categories.get(row.categoryId) ?? { name: row.name, color: null, emoji: null })),
          el("td", {}, row.done), el("td", {}, row.total)))))),
    // The filter is set anew when a day ends.
  ], ["task", "category", "settings", "filter"]);
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

/** @param {App} app @param {HTMLElement} main */
function showHistory(app, main) {
  const { of } = app.router.route;
  const task = of ? app.model.tasks.get(of) : null;
  const place = el("section", { class: "panel" });
  const back = task && el("button", { onclick: () => app.router.go({ screen: null, of: null, task: of }) }, text.edit);
  main.append(heading(of ? text.historyOf(task?.title ?? "") : text.screens.history, back ?? null), place);
  const path = of ? `/tasks/${encodeURIComponent(of)}/history?limit=100` : "/history?limit=100";
  return showAnswer(app, place, path, (answer) => {
    return pages(app, path, answer, el("ol", { class: "rows history" }), (item) => entry(app, item, !of), text.historyEmpty);
  }, ["task"]);
}

/** @param {App} app @param {any} item @param {boolean} isTitled */
function entry(app, item, isTitled) {
  const id = item.taskId;
  const title = item.title ?? text.purged;
  const name = isTitled && (app.model.tasks.has(id)
    ? el("button", { class: "row-open", data: { of: id }, onclick: () => app.router.go({ task: id }) }, title)
    : el("span", { class: "row-open" }, title));
  return el("li", {}, el("div", { class: "row-words" }, name, el("p", {}, sentence(app, item)), ...details(app, item)),
    el("time", { class: "quiet-words", dateTime: item.at }, describeTime(item.at, app.model.zone)));
}

/** @param {App} app @param {any} item */
function sentence(app, item) {
  const status = item.changes.find((/** @type {any} */ change) => change.member === "status");
  if (item.action === "moved" && status) return text.movedFromTo(wordsOf(app, "status", status.from), wordsOf(app, "status", status.to));
  const action = /** @type {keyof typeof text.actions} */ (item.action);
  if (action !== "updated") return text.actions[action] ?? action;
  const members = item.changes.map((/** @type {any} */ change) => memberName(change.member));
  return members.length ? text.changedMembers(members.join(", ")) : text.actions.updated;
}

/** @param {App} app @param {any} item */
function details(app, item) {
  if (item.action === "created") return [];
  return item.changes.filter((/** @type {any} */ change) => !["status", "position", "completedAt"].includes(change.member))
    .map((/** @type {any} */ { member, from, to }) => el("p", {},
      el("span", { class: "member" }, `${memberName(member)}: `),
      el("del", {}, wordsOf(app, member, from)), " → ", el("ins", {}, wordsOf(app, member, to))));
}

/** @param {App} app @param {HTMLElement} main */
function showTrash(app, main) {
  main.append(heading(text.screens.trash), el("p", { class: "lead" }, text.trashHint));
  const { tasks, categories, ddays } = app.model;
  const list = (/** @type {"task" | "category" | "dday"} */ type, /** @type {string} */ title, /** @type {string} */ path, /** @type {Map<string, any>} */ living) => {
    const place = el("div", {});
    const section = el("section", { class: "panel" }, type !== "task" && el("h2", {}, title), place);
    // Most have none of the others.
    section.hidden = type !== "task";
    main.append(section);
    return showAnswer(app, place, path, (answer) => {
      const items = answer.items.filter(({ id }) => !living.has(id));
      section.hidden = type !== "task" && items.length === 0;
      return pages(app, path, { ...answer, items }, el("ul", { class: "rows" }), (item) => deleted(app, type, item), text.trashEmpty);
      // What the server did not restore is there again.
    }, [type, "issue"]);
  };
  const stops = [
    list("task", "", trashPaths.task, tasks),
    list("category", text.screens.categories, trashPaths.category, categories), list("dday", text.ddays, trashPaths.dday, ddays),
  ];
  return () => stops.forEach((stop) => stop());
}

/** @param {App} app @param {"task" | "category" | "dday"} type @param {any} value */
function deleted(app, type, value) {
  const { id, name, title = name, body, emoji } = value;
  const button = el("button", { data: { of: id }, "aria-label": text.restoreOf(title) }, text.restore);
  const item = el("li", {}, el("div", { class: "row-words" }, el("strong", {}, emoji ? `${emoji} ${title}` : title), body && el("p", {}, body)),
    el("time", { class: "quiet-words", dateTime: value.updatedAt }, describeTime(value.deletedAt ?? value.updatedAt, app.model.zone)), button);
  button.addEventListener("click", () => {
    app.engine.commit([remembered(value)]);
    // Removed at once, without waiting for the new list.
    const neighbour = item.nextElementSibling ?? item.previousElementSibling;
    item.remove();
    if (neighbour) $("button", neighbour).focus();
    act(app, [{ type, id }], [{ type, op: "restore", id }], {
      title, say: () => text.restored(title), actions: () => (type === "task" ? [[text.show, () => app.reveal(id)]] : []),
    });
  });
  return item;
}

/**
 * The rows of an answer, and a button for the next page.
 * @param {App} app @param {string} path @param {Answer} answer @param {HTMLElement} list
 * @param {(item: any) => HTMLElement} make @param {string} empty
 */
function pages(app, path, answer, list, make, empty) {
  if (answer.items.length === 0) return [quiet(empty)];
  const button = el("button", { class: "wide" }, text.showMore);
  let cursor = answer.nextCursor;
  const add = (/** @type {Answer} */ { items, nextCursor }) => {
    list.append(...items.map(make));
    cursor = nextCursor;
    if (!cursor) button.remove();
  };
  button.addEventListener("click", () => app.attempt(async () => {
    button.disabled = true;
    try {
      add(await call("GET", `${path}&cursor=${encodeURIComponent(cursor ?? "")}`));
    } finally {
      button.disabled = false;
    }
  }));
  add(answer);
  return [list, cursor && button];
}

/** @type {Record<string, ShowScreen>} all screens, by their names in the address */
export const all = {
  today: showToday, stats: showStats, trash: showTrash, history: showHistory, categories: showCategories, settings: showSettings, account: showAccount,
};
