// Statistics, with a small chart of what was completed.
import { heading, showAnswer } from "./answers.js";
import { el } from "./dom.js";
import { categoryPill } from "./board.js";
import { describeDay } from "./dates.js";
import { columns } from "./model.js";
import { text } from "./texts.js";

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
