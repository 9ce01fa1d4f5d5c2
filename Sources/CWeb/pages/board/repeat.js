// Recurrence as people choose and read it: its words, the usual rules of a day, the first day of a rule, the next ones.
import { dueDay } from "./dates.js";
import { el, language, text } from "./page.js";
import { falls, followingDue, nextOccurrence, readRule, weekdays } from "../client/kanbase.js";

/** @type {(options: Intl.DateTimeFormatOptions, time: number) => string} */
const written = (options, time) => new Intl.DateTimeFormat(language, { timeZone: "UTC", ...options }).format(time);
/** @type {(weekday: number) => string} */
export const weekdayName = (weekday) => written({ weekday: "short" }, Date.UTC(2024, 0, weekday + 1));
const workdays = "MO,TU,WE,TH,FR";

/** @type {(recurrence: Recurrence, zone: string) => string} `every other week on Mon, Thu` */
export function repeatWords({ rule: given, from }, zone) {
  const rule = readRule(given);
  if (!rule) return given;
  const { weekdays: days, months, until } = rule;
  return text.repeatWords({
    ...rule, isAfter: from === "completion", lastDay: until && written({ dateStyle: "medium" }, Date.parse(dueDay(until, zone))),
    days: days.map(({ weekday, ordinal }) => ({ name: weekdayName(weekday), ordinal })), monthNames: months.map((month) => written({ month: "short" }, Date.UTC(2024, month - 1))),
    isWorkdays: days.map(({ weekday, ordinal }) => (ordinal ? "" : weekday)).sort().join("") === "01234",
  });
}

/** @type {(recurrence: Recurrence, zone: string, look?: string) => HTMLElement} with a look of its own, its words are beside the mark */
export const repeatMark = (recurrence, zone, look) => {
  const words = repeatWords(recurrence, zone);
  return el("span", { class: look ?? "repeat", title: words }, "↻ ", el("span", { class: look ? "" : "hidden" }, words));
};

/** @type {(rule: string, day: string) => string} a rule that names its day: without one it would drift from the end of a month */
export function anchored(rule, day) {
  if (/BY/.test(rule)) return rule;
  const [, month, date] = day.split("-").map(Number);
  const short = date > 28 ? ";SKIP=BACKWARD" : "";
  return rule + (/WEEKLY/.test(rule) ? `;BYDAY=${weekdays[(new Date(day).getUTCDay() + 6) % 7]}` : /MONTHLY/.test(rule) ? `;BYMONTHDAY=${date}${short}`
    : /YEARLY/.test(rule) ? `;BYMONTH=${month};BYMONTHDAY=${date}${month === 2 ? short : ""}` : "");
}

/** @type {(rule: string) => string} one that counts from completion, whatever day that is: in a short month, the last */
export const loose = (rule) => (/MONTHLY|YEARLY/.test(rule) && !/BY/.test(rule) ? `${rule};SKIP=BACKWARD` : rule);

/** @type {(day: string) => string[]} */
export const usualRules = (day) => ["FREQ=DAILY", `FREQ=WEEKLY;BYDAY=${workdays}`, anchored("FREQ=WEEKLY", day), anchored("FREQ=MONTHLY", day),
  "FREQ=MONTHLY;BYMONTHDAY=-1", anchored("FREQ=YEARLY", day)];

/** @type {(rule: string, day: string) => string} the first day of a rule, not before another: every other Monday begins on the next one */
export function firstDay(given, day) {
  const rule = readRule(given);
  return rule && nextOccurrence({ ...rule, interval: 1 }, new Date(Date.parse(day) - 86400000).toISOString().slice(0, 10), day, "UTC") || day;
}

/**
 * The next occurrences after the one that is due; of a rule that counts from completion, as if each were done on its day, this one
 * today.
 * @type {(recurrence: Recurrence, due: string, zone: string, task?: Task) => string[]}
 */
export function upcoming(recurrence, due, zone, task) {
  const found = [];
  const start = task?.recurrence && task.seriesStart;
  let occurrence = start && task.occurrence || 1;
  let done = recurrence.from === "completion" ? new Date().toISOString() : due;
  for (let next = /** @type {string | null} */ (due); found.length < 5; found.push(next)) {
    next = followingDue({ recurrence, dueDate: next, occurrence, seriesStart: start && falls(recurrence, due, start, zone) ? start : due }, done, zone);
    if (!next) break;
    done = next;
    occurrence += 1;
  }
  return found;
}
