// Days and times in the account's zone. A day is text, `2026-12-01`; a due date is a day or an instant.
import { language, text } from "./texts.js";

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {string} zone @param {Intl.DateTimeFormatOptions} options @param {string} [locale] */
function format(zone, options, locale = language) {
  const key = `${locale} ${zone} ${JSON.stringify(options)}`;
  let found = formats.get(key);
  if (!found) formats.set(key, found = new Intl.DateTimeFormat(locale, { timeZone: zone, ...options }));
  return found;
}

/**
 * Year, month, … of an instant in a zone, as numbers.
 * @param {number} time
 * @param {string} zone
 */
function parts(time, zone) {
  const options = /** @type {const} */ ({ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
  /** @type {Record<string, number>} */
  const result = {};
  for (const { type, value } of format(zone, options, "en-US-u-ca-gregory").formatToParts(time)) result[type] = Number(value);
  return result;
}

const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
const isDay = (/** @type {string} */ due) => due.length === 10;

/** @param {number} time @param {string} zone */
export function dayOf(time, zone) {
  const { year, month, day } = parts(time, zone);
  // The last instants that the server takes are in the year 10000 east of it.
  if (year > 9999) return "9999-12-31";
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
}

/** @param {string} zone @param {number} [now] */
export function today(zone, now = Date.now()) {
  return dayOf(now, zone);
}

/** @param {string} due @param {string} zone */
export function dueDay(due, zone) {
  return isDay(due) ? due : dayOf(Date.parse(due), zone);
}

/**
 * The time of day at which something is due, `15:00`; empty for a day.
 * @param {string} due
 * @param {string} zone
 */
export function dueTime(due, zone) {
  if (isDay(due)) return "";
  const { hour, minute } = parts(Date.parse(due), zone);
  return `${two(hour)}:${two(minute)}`;
}

/** @param {string} day @param {number} count */
export function addDays(day, count) {
  const [year, month, date] = day.split("-").map(Number);
  const moved = new Date(Date.UTC(2000, 0, 1));
  moved.setUTCFullYear(year, month - 1, date + count);
  return moved.toISOString().slice(0, 10);
}

/** @param {string} from @param {string} to */
export function daysBetween(from, to) {
  return Math.round((Date.parse(`${to}T00:00Z`) - Date.parse(`${from}T00:00Z`)) / 86400000);
}

/** @param {string} day */
export function weekday(day) {
  return new Date(`${day}T00:00Z`).getUTCDay();
}

/**
 * The instant of a local time in a zone, for the API. A time that a change of clocks skips moves forward.
 * @param {string} day
 * @param {string} time `15:00`
 * @param {string} zone
 */
export function instant(day, time, zone) {
  const wanted = Date.parse(`${day}T${time}:00Z`);
  let guess = wanted;
  for (let round = 0; round < 3; round += 1) {
    const { year, month, day: date, hour, minute } = parts(guess, zone);
    const shown = new Date(0);
    shown.setUTCFullYear(year, month - 1, date);
    shown.setUTCHours(hour, minute);
    if (shown.getTime() === wanted) break;
    guess += wanted - shown.getTime();
  }
  return new Date(guess).toISOString();
}

/**
 * The label of a card: `D-3`, `D-DAY`, `D+2`.
 * @param {number} days
 */
export function dDay(days) {
  return days > 0 ? `D-${days}` : days < 0 ? `D+${-days}` : "D-DAY";
}

/** @param {string} due @param {string} zone @param {number} [now] */
export function describeDue(due, zone, now = Date.now()) {
  const current = today(zone, now);
  const day = dueDay(due, zone);
  const days = daysBetween(current, day);
  const near = days === 0 ? text.today : days === 1 ? text.tomorrow : days === -1 ? text.yesterday : null;
  const date = near ?? describeDay(day, current);
  const time = isDay(due) ? "" : ` ${format(zone, { hour: "numeric", minute: "2-digit" }).format(Date.parse(due))}`;
  const urgency = days < 0 ? "overdue" : days <= 2 ? "soon" : "later";
  return { label: date + time, days, dDay: dDay(days), urgency };
}

/** @param {string} day @param {string} [current] */
export function describeDay(day, current = "") {
  const year = day.slice(0, 4) === current.slice(0, 4) ? undefined : "numeric";
  return format("UTC", { year, month: "short", day: "numeric", weekday: "short" }).format(Date.parse(`${day}T00:00Z`));
}

/** @param {string} at @param {string} zone */
export function describeTime(at, zone) {
  return format(zone, { dateStyle: "medium", timeStyle: "short" }).format(Date.parse(at));
}

/** @param {string} zone @param {number} [now] */
export function untilMidnight(zone, now = Date.now()) {
  const next = Date.parse(instant(addDays(today(zone, now), 1), "00:00", zone));
  return Math.max(next - now, 1000);
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
