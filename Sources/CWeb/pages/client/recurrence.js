// When a task comes back: the rules of RFC 5545 that Kanban/Recurrence of the server reads. Pure functions, without page and clock.
// Days are numbers here, counted from 1970-01-01; outside, a day is text, and a due date is a day or an instant.

const ms = 86400000;
export const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/** @type {(number: number, by: number) => number} */
const floored = (number, by) => Math.floor(number / by);

/** @type {(day: string) => number} */
const numberOf = (day) => floored(Date.parse(day), ms);
/** @type {(day: number) => string} */
const textOf = (day) => new Date(day * ms).toISOString().slice(0, 10);
/** @type {(year: number, month: number, date: number) => number} */
const at = (year, month, date) => floored(new Date(0).setUTCFullYear(year, month, date), ms);
/** @type {(day: number) => number[]} year, month from 0 on, date */
const civil = (day) => {
  const date = new Date(day * ms);
  return [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
};
/** @type {(day: number) => number} */
const weekdayOf = (day) => ((day + 3) % 7 + 7) % 7;
const latest = numberOf("9999-12-31");

/** @type {(text: string) => Rule | null} null: one of a newer server, which checks them */
export function readRule(text) {
  const { FREQ, INTERVAL = 1, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS = 0, UNTIL, COUNT = 0, WKST = "MO", SKIP, ...others } = Object.fromEntries(text.toUpperCase().split(";").map((part) => part.split("=")));
  if (!["DAILY", "WEEKLY", "MONTHLY", "YEARLY"].includes(FREQ) || Object.keys(others).length > 0) return null;
  const list = (/** @type {string | undefined} */ value) => value?.split(",") ?? [];
  return {
    frequency: FREQ, interval: Number(INTERVAL), position: Number(BYSETPOS), count: Number(COUNT), weekStart: weekdays.indexOf(WKST), skipsBackward: SKIP === "BACKWARD",
    weekdays: list(BYDAY).map((part) => ({ weekday: weekdays.indexOf(part.slice(-2)), ordinal: Number(part.slice(0, -2)) })),
    monthDays: list(BYMONTHDAY).map(Number), months: list(BYMONTH).map(Number),
    until: UNTIL?.replace(/^(....)(..)(..)(?:T(..)(..))?/, (/** @type {string} */ _, /** @type {string[]} */ ...[year, month, date, hour, minute]) => `${year}-${month}-${date}${hour ? `T${hour}:${minute}:` : ""}`) ?? null,
  };
}

/** @type {(rule: Rule, day: number) => boolean} */
function isOn({ frequency, weekdays, monthDays, months, skipsBackward }, day) {
  // First what costs least: a rule that never occurs asks this of 400 years.
  const own = weekdays.filter(({ weekday }) => weekday === weekdayOf(day));
  if (weekdays.length && !own.length) return false;
  const [year, month, number] = civil(day);
  const end = at(year, month + 1, 0);
  const length = number + end - day;
  if (months.length && !months.includes(month + 1)) return false;
  if (monthDays.length && !monthDays.some((wanted) => (wanted < 0 ? length + 1 + wanted === number
    : wanted === number || (skipsBackward && wanted > length && day === end)))) return false;
  const isOfYear = frequency === "YEARLY" && !months.length;
  const index = isOfYear ? day - at(year, 0, 1) : number - 1;
  const left = (isOfYear ? at(year, 12, 0) : end) - day;
  return !weekdays.length || own.some(({ ordinal }) => !ordinal || floored(ordinal > 0 ? index : left, 7) === Math.abs(ordinal) - 1);
}

/** @type {(rule: Rule, day: number, start: number) => number | null} the first day after `day`; periods count from the one of `start` */
function nextDay(rule, day, start) {
  const { frequency, interval, position } = rule;
  // 1970-01-01 was a Thursday.
  const week = rule.weekStart - 3;
  const unitOf = (/** @type {number} */ any) => {
    const [year, month] = civil(any);
    return { DAILY: any, WEEKLY: floored(any - week, 7), MONTHLY: year * 12 + month, YEARLY: year }[frequency];
  };
  const firstIn = (/** @type {number} */ unit) => (frequency === "DAILY" ? unit : frequency === "WEEKLY" ? week + unit * 7 : at(0, frequency === "MONTHLY" ? unit : unit * 12, 1));
  // What the rule leaves open, the start says.
  const [, month, date] = civil(start);
  const isOpen = !rule.weekdays.length && !rule.monthDays.length;
  const whole = !isOpen || frequency === "DAILY" ? rule : frequency === "WEEKLY" ? { ...rule, weekdays: [{ weekday: weekdayOf(start), ordinal: 0 }] }
    : { ...rule, monthDays: [date], months: rule.months.length || frequency === "MONTHLY" ? rule.months : [month + 1] };
  // The calendar repeats after 400 years.
  const last = Math.min(latest, Math.max(day, start) + 400 * 366);
  const origin = unitOf(start);
  for (let period = Math.max(0, floored(unitOf(day) - origin, interval)); ; period += 1) {
    const [first, end] = [0, 1].map((more) => firstIn(origin + period * interval + more));
    if (first > last) return null;
    const days = [];
    for (let each = first; each < end; each += 1) if (isOn(whole, each)) days.push(each);
    const found = (position ? days.slice(position > 0 ? 0 : -1).slice(0, 1) : days).find((each) => each > day && each >= start);
    if (found !== undefined) return found <= last ? found : null;
  }
}

/** @type {Map<string, Intl.DateTimeFormat>} */
const clocks = new Map();

/** @type {(time: number, zone: string) => number} the local time of an instant, as if it were one of UTC */
export function wallOf(time, zone) {
  const clock = clocks.get(zone) ?? new Intl.DateTimeFormat("en-US-u-ca-gregory", { timeZone: zone, year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" });
  clocks.set(zone, clock);
  const [month, day, year, hour, minute, second] = clock.formatToParts(time).filter(({ type }) => type !== "literal").map(({ value }) => Number(value));
  return at(year, month - 1, day) * ms + ((hour * 60 + minute) * 60 + second) * 1000 + (time % 1000 + 1000) % 1000;
}

/** @type {(due: string, zone: string) => number} */
const dayNumber = (due, zone) => floored(due.length === 10 ? Date.parse(due) : wallOf(Date.parse(due), zone), ms);

/** @type {(due: string, day: number | null, zone: string) => string | null} the same time of day on another day */
function moved(due, day, zone) {
  if (day === null || due.length === 10) return day === null ? null : textOf(day);
  const time = instantOf(wallOf(Date.parse(due), zone) + (day - dayNumber(due, zone)) * ms, zone);
  return time < (latest + 1) * ms ? new Date(time).toISOString() : null;
}

/** @type {(wall: number, zone: string) => number} the instant of a local time that is written as if it were one of UTC */
export function instantOf(wall, zone) {
  // A skipped time is read with the offset before the change, which a day earlier is that of the day; of a repeated time the first counts.
  const offset = (/** @type {number} */ time) => wallOf(time, zone) - time;
  const before = offset(wall - ms);
  const after = offset(wall - before);
  return wall - (offset(wall - after) === after ? after : before);
}

/** @type {(rule: Rule, due: string | null, zone: string) => string | null} null, if `UNTIL` ends before */
function unlessOver({ until }, due, zone) {
  if (!due || !until) return due;
  const [one, other] = [due, until].map(due.length > 10 && until.length > 10 ? Date.parse : (each) => dayNumber(each, zone));
  return one > other ? null : due;
}

/**
 * The first occurrence after the day of `due`, of a series that began at `start`; null when it is over. `COUNT` is for the caller
 * to count. Of instants the local time in `zone` stays.
 * @type {(rule: Rule, due: string, start: string, zone: string, from?: string) => string | null}
 */
export const nextOccurrence = (rule, due, start, zone, from = start) => (
  unlessOver(rule, moved(start, nextDay(rule, dayNumber(due, zone), dayNumber(from, zone)), zone), zone));

/**
 * The due date of the task that follows a completed one: after its day and after that of `done`; null when it was the last.
 * @type {(task: Pick<Task, "recurrence" | "dueDate" | "occurrence" | "seriesStart">, done: string, zone: string) => string | null}
 */
export function followingDue({ recurrence, dueDate, occurrence, seriesStart }, done, zone) {
  const rule = recurrence && readRule(recurrence.rule);
  if (!rule || !dueDate || (rule.count && (occurrence ?? 1) >= rule.count)) return null;
  const own = recurrence.timeZone ?? zone;
  const start = seriesStart ?? dueDate;
  if (recurrence.from === "completion") return nextOccurrence(rule, done, start, own, done);
  return nextOccurrence(rule, dayNumber(dueDate, own) > dayNumber(done, own) ? dueDate : done, start, own);
}

/** @type {(recurrence: Recurrence, due: string, start: string, zone: string) => boolean} true if a due date is one of the rule since a start */
export function falls({ rule: written, timeZone }, due, start, zone) {
  const rule = readRule(written);
  const own = timeZone ?? zone;
  const day = dayNumber(due, own);
  const moment = moved(start, day, own);
  return rule !== null && moment?.length === due.length && Date.parse(moment) === Date.parse(due) && nextDay(rule, day - 1, dayNumber(start, own)) === day;
}
