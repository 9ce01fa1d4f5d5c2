// Reminders as people choose and read them: durations before the due time (RFC 5545), and instants, each written as the server does.
import { describeTime } from "./dates.js";
import { language, text } from "./page.js";

export const most = 5;
/** Those that one press chooses. */
export const usual = ["PT0S", "-PT10M", "-PT1H", "-P1D"];
/** In seconds. */
export const units = { minute: 60, hour: 3600, day: 86400, week: 604800 };
const longest = 30 * units.day;

/** @type {(reminders: string[] | null | undefined) => string} as a field has them, in one order: the server's goes with the due date. Empty is the default. */
export const reminderValue = (reminders) => (reminders ? JSON.stringify(inOrder(reminders)) : "");
/** @type {(value: string | undefined) => string[] | null} */
export const remindersOf = (value) => (value ? JSON.parse(value) : null);

/** @type {(trigger: string) => number[] | null} days, hours, minutes and seconds; null of an instant */
const parts = (trigger) => trigger.match(/^-?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/)?.slice(1).map((part) => Number(part ?? 0)) ?? null;

/** @type {(count: number, unit: string) => Intl.NumberFormatPart[]} */
const measured = (count, unit) => new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).formatToParts(count);
/** @type {(unit: string) => string} */
export const unitName = (unit) => measured(5, unit).find(({ type }) => type === "unit")?.value ?? unit;

/** @type {(trigger: string, zone: string) => string} */
export function reminderWord(trigger, zone) {
  const counts = parts(trigger);
  if (!counts) return describeTime(trigger, zone);
  const words = ["day", "hour", "minute", "second"].map((unit, index) => (counts[index] ? measured(counts[index], unit).map(({ value }) => value).join("") : ""));
  return counts.some(Boolean) ? text.before(words.filter(Boolean).join(" ")) : text.atTime;
}

/** @type {(reminders: string[] | null, zone: string) => string} */
export const reminderWords = (reminders, zone) => (!reminders ? text.byDefault
  : reminders.length ? reminders.map((trigger) => reminderWord(trigger, zone)).join(", ") : text.noReminder);

/** @type {(count: number, unit: keyof typeof units) => string | null} null where the server takes none */
export function triggerOf(count, unit) {
  if (!(Number.isInteger(count) && count > 0 && count * units[unit] <= longest)) return null;
  if (unit === "day" || unit === "week") return `-P${count * units[unit] / units.day}D`;
  const minutes = count * units[unit] / 60;
  return `-PT${minutes >= 60 ? `${Math.floor(minutes / 60)}H` : ""}${minutes % 60 ? `${minutes % 60}M` : ""}`;
}

/** @type {(reminders: string[]) => string[]} each once, the earliest first, and instants last */
function inOrder(reminders) {
  const order = (/** @type {string} */ trigger) => {
    const [days, hours, minutes, seconds] = parts(trigger) ?? [];
    return days === undefined ? [1, Date.parse(trigger), 0] : [0, -(days * 86400 + hours * 3600 + minutes * 60 + seconds), -days];
  };
  return [...new Set(reminders)].map((trigger) => ({ trigger, key: order(trigger) }))
    .sort(({ key: a }, { key: b }) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]).map(({ trigger }) => trigger);
}
