// Days and times in the account's zone. A day is text, `2026-12-01`; a due date is a day or an instant. Below, the line of quick
// add, which names them.
import { instantOf, wallOf } from "../client/kanbase.js";
import { language, text } from "./page.js";
import { isBlank } from "./words.js";

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {string} zone @param {Intl.DateTimeFormatOptions} options */
function format(zone, options) {
  const key = `${zone} ${JSON.stringify(options)}`;
  let found = formats.get(key);
  if (!found) formats.set(key, found = new Intl.DateTimeFormat(language, { timeZone: zone, ...options }));
  return found;
}

const two = (/** @type {number | string} */ number) => String(number).padStart(2, "0");
const isDay = (/** @type {string} */ due) => due.length === 10;

/** @param {number} time @param {string} zone */
const localTime = (time, zone) => new Date(wallOf(time, zone)).toISOString();

/** @param {number} time @param {string} zone */
function dayOf(time, zone) {
  const wall = localTime(time, zone);
  // The last instants that the server takes are in the year 10000 east of it.
  return wall.startsWith("+") ? "9999-12-31" : wall.slice(0, 10);
}

/** @param {string} zone */
export function today(zone) {
  return dayOf(Date.now(), zone);
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
  return isDay(due) ? "" : localTime(Date.parse(due), zone).match(/\d\d:\d\d/)?.[0] ?? "";
}

/** @param {string} day  of one whose year was typed with two digits, the day that is meant */
export const fullYear = (day) => day.replace(/^00(\d\d-)/, "20$1");

/** @param {string} day @param {number} count */
export function addDays(day, count) {
  const [year, month, date] = day.split("-").map(Number);
  const moved = new Date(Date.UTC(2000, 0, 1));
  moved.setUTCFullYear(year, month - 1, date + count);
  return moved.toISOString().slice(0, 10);
}

/** @param {string} from @param {string} to */
export function daysBetween(from, to) {
  return (Date.parse(to) - Date.parse(from)) / 86400000;
}

/**
 * The instant of a local time in a zone, for the API. A time that a change of clocks skips moves forward; of one
 * that it repeats, the first counts.
 * @param {string} day
 * @param {string} time `15:00`
 * @param {string} zone
 */
export function instant(day, time, zone) {
  return new Date(instantOf(Date.parse(`${day}T${time}:00Z`), zone)).toISOString();
}

/** @param {number} days  @returns the label of a card: `D-3`, `D-DAY`, `D+2` */
export function dDay(days) {
  return days > 0 ? `D-${days}` : days < 0 ? `D+${-days}` : "D-DAY";
}

/** @param {string} due @param {string} zone */
export function describeDue(due, zone) {
  const current = today(zone);
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
  return format("UTC", { year, month: "short", day: "numeric", weekday: "short" }).format(Date.parse(day));
}

/** @param {string} at @param {string} zone */
export function describeTime(at, zone) {
  return format(zone, { dateStyle: "medium", timeStyle: "short" }).format(Date.parse(at));
}

/** @param {string} zone */
export function untilMidnight(zone) {
  const next = Date.parse(instant(addDays(today(zone), 1), "00:00", zone));
  return Math.max(next - Date.now(), 1000);
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

const months = "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const monthOf = (/** @type {string} */ word) => "janfebmaraprmayjunjulaugsepoctnovdec".indexOf(word.slice(0, 3).toLowerCase()) / 3 + 1;
/** A date ends here, and is not the first of a range. */
const end = "(?=\\s|$)(?!\\s*[-–~]\\s*\\d)";

/**
 * What is only half understood, such as a day of last week, is not read.
 * @type {Patterns}
 */
const days = [
  [/(?:^|\s)(\d{4}-\d{2}-\d{2})(?:까지|에|まで|に)?(?=\s|$)/, (match) => validDay(match[1])],
  [/(?:^|\s)(\d{4})年(\d{1,2})月(\d{1,2})日(?:まで)?[のに]?/, (match) => made(match[1], match[2], match[3])],
  [/(?:^|\s)(\d{4})년 ?(\d{1,2})월 ?(\d{1,2})일(?:까지)?(?=\s|$)/, (match) => made(match[1], match[2], match[3])],
  [/(?:^|\s)(\d{1,2})月(\d{1,2})日(?:まで)?[のに]?/, (match, today) => nextMonthDay(match[1], match[2], today)],
  [new RegExp(`(?:^|\\s)(\\d{1,2})월 ?(\\d{1,2})일(?:까지|에)?${end}`), (match, today) => nextMonthDay(match[1], match[2], today)],
  [new RegExp(`(?:^|\\s)(?:on )?${months} (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?${end}`, "i"), (match, today) => nextMonthDay(monthOf(match[1]), match[2], today, match[3])],
  [new RegExp(`(?:^|\\s)(?:on )?(\\d{1,2})(?:st|nd|rd|th)? (?:of )?${months}(?:,? (\\d{4}))?${end}`, "i"), (match, today) => nextMonthDay(monthOf(match[2]), match[1], today, match[3])],
  [new RegExp(`(?:^|\\s)(?:on )?(\\d{1,2})/(\\d{1,2})(?:/(\\d{4}))?(?:까지|에|まで|に)?${end}(?!\\s+of\\b)`, "i"), (match, today) => nextMonthDay(match[1], match[2], today, match[3])],
  [/(?:^|\s)(day after tomorrow)(?=\s|$)/i, (_, today) => addDays(today, 2)],
  [/(?:^|\s)(today|tonight)(?=\s|$)/i, (_, today) => today],
  [/(?:^|\s)(tomorrow|tmrw)(?=\s|$)/i, (_, today) => addDays(today, 1)],
  [/(?:^|\s)in (\d{1,3}|an?) (day|week|month)s?(?=\s|$)/i, (match, today) => later(Number(match[1]) || 1, match[2].toLowerCase(), today)],
  [/(?:^|\s)(?:(this|next) (?:week )?(?:on )?|(?:on )?(?<!\b(?:last|past|this|next) (?:week )?(?:on )?))(sun|mon|tues|wednes|thurs|fri|satur)day(?: (this|next) week)?(?=\s|$)(?! (?:this|next|last|after|week)\b)/i,
    (match, today) => weekday(["sun", "mon", "tues", "wednes", "thurs", "fri", "satur"].indexOf(match[2].toLowerCase()), today, match[1] ?? match[3])],
  [/(?:^|\s)(오늘)(?:까지)?(?=\s|$)/, (_, today) => today],
  [/(?:^|\s)(내일)(?:까지)?(?=\s|$)/, (_, today) => addDays(today, 1)],
  [/(?:^|\s)(모레)(?:까지)?(?=\s|$)/, (_, today) => addDays(today, 2)],
  [/(?:^|\s)(\d{1,3})(일|주|주일|달|개월) ?(?:후|뒤)(?:까지|에)?(?=\s|$)/, (match, today) => later(Number(match[1]), match[2], today)],
  [/(?:^|\s)(?:(이번|다음|다다음) ?주 ?|(?<!(?:지난|저번|이번|다음|매|격) ?주? ?))([일월화수목금토])요일(?:까지|에)?(?=\s|$)(?! (?:이번|다음|지난))/,
    (match, today) => weekday("일월화수목금토".indexOf(match[2]), today, match[1])],
  [/(?:^|\s)(今日)(?:まで)?(?:[のに]|(?=\s|\d|午|$))/, (_, today) => today],
  [/(?:^|\s)(明後日)(?:まで)?(?:[のに]|(?=\s|\d|午|$))/, (_, today) => addDays(today, 2)],
  [/(?:^|\s)(明日)(?:まで)?(?:[のに]|(?=\s|\d|午|$))/, (_, today) => addDays(today, 1)],
  [/(?:^|\s)(\d{1,3})(日|週間|[かヶカ]月)後(?:まで)?(?:[のに]|(?=\s|\d|午|$))/, (match, today) => later(Number(match[1]), match[2], today)],
  [/(?:^|\s)(?:(今週|来週|再来週)の?\s?|(?<!(?:先|毎|隔|次|今|来)週?の?\s?))([日月火水木金土])曜日?(?:まで)?(?:[のに]|(?=\s|\d|午|$))/,
    (match, today) => weekday("日月火水木金土".indexOf(match[2]), today, match[1])],
];

/** @type {(line: string, today: string, before: string, after?: string) => {day: string, match: RegExpMatchArray} | null} the first date that stands between two expressions */
export function findDay(line, today, before, after = "") {
  for (const [pattern, read] of days) {
    const match = line.match(new RegExp(before + pattern.source + after, "i"));
    const day = match && read(match, today);
    if (day) return { day, match };
  }
  return null;
}

/** @type {Patterns} */
const times = [
  [/(?:^|\s)(?:at )?(\d{1,2})(?::(\d{2}))? ?(am|pm)(?=\s|$)/i, (match) => clock(match[1], match[2], match[3].toLowerCase())],
  [/(?:^|\s)(?:at )?(\d{1,2}):(\d{2})(?=\s|$)/i, (match) => clock(match[1], match[2])],
  [/(?:^|\s)(오전|오후|새벽|아침|낮|저녁|밤)? ?(\d{1,2})시 ?(?:(\d{1,2})분|(반))?(?:까지|에)?(?=\s|$)/, (match) =>
    clock(match[2], match[4] ? "30" : match[3], korean(match[1], Number(match[2])))],
  [/(?:^|\s|(?<=日|で|曜))(午前|午後)?(\d{1,2})時(?:(\d{1,2})分|(半))?(?:まで|に)?(?!間)/, (match) =>
    clock(match[2], match[4] ? "30" : match[3], match[1] === "午後" ? "pm" : match[1] === "午前" ? "am" : undefined)],
];

const short = "(?:sun|mon|tues?|wed|thu(?:rs?)?|fri|sat)";
/**
 * A day that is not understood, so that a time in the same line is not of today. The time is \0 here; some words name a day only
 * beside it.
 */
const otherDay = new RegExp([
  `\\b(?:sun|mon|tues|wednes|thurs|fri|satur)days?\\b|\\b(?:on|this|next|last) (?:${short}|week|weekend|month|year)\\b|\\b(?:yesterday|weekend)\\b`,
  `\\b${months} ?\\d|\\b\\d{1,2}(?:st|nd|rd|th)?\\.? (?:of )?${months}\\b|\0 *on the \\d{1,2}(?:st|nd|rd|th)\\b(?! [a-z])`,
  "(?<!\\d)\\d{4}[./]\\d{1,2}[./]\\d{1,2}(?!\\d)|(?:^|\\s)\\d{1,2}(?:[./]\\d{1,2}(?:[./]\\d{2,4})?\\.?|st|nd|rd|th),? *(?:at )?\0",
  `\\b${short}\\.?,? *(?:at )?\0|\0 *(?:on )?${short}\\b`,
  "요일|어제|그제|그저께|글피|내일모레|(?:지난|저번|이번|다음|다다음) ?[주달해](?:에|까지|의)?(?=\\s)|내년|작년|주말|월말|\\d월|(?:\\d일(?:에|까지)?|(?:^|\\s)[월화수목금토일]),? *\0",
  "曜|昨日|[先今来]週|[先今来]月|来年|週末|月末|\\d月|(?:\\d日|(?:^|\\s)[月火水木金土日])[のに]? *\0",
].join("|"), "i");

/** @type {(word: string | undefined, hour: number) => string | undefined} an hour of 1–7 without am or pm is in the afternoon */
function korean(word, hour) {
  if (word === "밤" && hour === 12) return "midnight";
  if (word) return ["오전", "새벽", "아침"].includes(word) ? "am" : "pm";
  return hour >= 1 && hour <= 7 ? "pm" : undefined;
}

/** @param {string} hour @param {string | undefined} minute @param {string} [half] */
function clock(hour, minute, half) {
  let hours = Number(hour);
  const minutes = Number(minute ?? 0);
  if (half && (hours < 1 || hours > 12)) return null;
  if (half === "pm" && hours < 12) hours += 12;
  // At the end of the day.
  if (half === "midnight" && !minutes) return "24:00";
  if (half && half !== "pm" && hours === 12) hours = 0;
  if (hours > 23 || minutes > 59) return null;
  return `${two(hours)}:${two(minutes)}`;
}

/** @param {string} day */
function validDay(day) {
  const time = Date.parse(day);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== day ? null : day;
}

/** @param {string | number} year @param {string | number} month @param {string} day */
function made(year, month, day) {
  return validDay(`${year}-${two(month)}-${two(day)}`);
}

/** @param {string | number} month @param {string} date @param {string} today @param {string} [stated] the year */
function nextMonthDay(month, date, today, stated) {
  if (stated) return made(stated, month, date);
  // The next 29 February can be eight years away.
  for (let year = Number(today.slice(0, 4)), last = year + 8; year <= last; year += 1) {
    const day = made(year, month, date);
    if (day && day >= today) return day;
  }
  return null;
}

/** @param {number} count @param {string} unit @param {string} today */
function later(count, unit, today) {
  if (/^(day|일|日)$/.test(unit)) return addDays(today, count);
  if (/^[w주週]/.test(unit)) return addDays(today, count * 7);
  const [year, month, day] = today.split("-").map(Number);
  // The last day of a shorter month.
  const last = new Date(Date.UTC(year, month + count, 0));
  return `${last.toISOString().slice(0, 8)}${two(Math.min(day, last.getUTCDate()))}`;
}

/**
 * The next day with this weekday, never today; or the one of this week or a next, which begin on Mondays.
 * @param {number} wanted @param {string} today @param {string} [week]
 */
export function weekday(wanted, today, week) {
  const now = new Date(today).getUTCDay();
  if (!week) return addDays(today, (wanted - now + 6) % 7 + 1);
  const weeks = /^(this|이번|今週)$/i.test(week) ? 0 : /^(다다음|再来週)$/.test(week) ? 2 : 1;
  const day = addDays(today, weeks * 7 + (wanted + 6) % 7 - (now + 6) % 7);
  return day < today ? null : day;
}

/**
 * Parses a line; the rest of it is the title. Text that only looks like a date stays in the title, and so does what stands between
 * quotation marks.
 * @param {string} line
 * @param {{today: string, zone: string, now?: string, off?: Set<string>}} moment  `now`: the time of day, `14:05`; `off`: `due` and
 * `category` are not read
 */
export function readLine(line, { today, zone, now = "00:00", off = new Set() }) {
  /** @type {string[]} */
  const quoted = [];
  let rest = line.replace(/"[^"]*"|“[^”]*”|「[^」]*」|『[^』]*』/g, (words) => String.fromCharCode(0xe000 + quoted.push(words) - 1));
  const take = (/** @type {Patterns} */ patterns, mark = " ") => {
    for (const [pattern, read] of patterns) {
      const match = rest.match(pattern);
      const found = match && read(match, today);
      if (!found) continue;
      rest = rest.replace(pattern, mark);
      return found;
    }
    return null;
  };
  const category = off.has("category") ? null : take([[/(?:^|\s)#(?!\d+(?:\s|$))([^\s#]{1,50})(?=\s|$)/u, (match) => (isBlank(match[1]) ? null : match[1])]]);
  let day = off.has("due") ? null : take(days);
  const untimed = rest;
  let time = off.has("due") ? null : take(times, " \0 ");
  // A time without a date is its next occurrence.
  if (time && !day && otherDay.test(rest.replace(/\s+/g, " "))) [time, rest] = [null, untimed];
  else if (time && !day) day = time > now ? today : addDays(today, 1);
  const title = rest.replace("\0", "").replace(/\s+/g, " ").trim().replace(/[\ue000-\uf8ff]/g, (mark) => quoted[mark.charCodeAt(0) - 0xe000] ?? mark);
  // A line with only a date is a title.
  if (isBlank(title)) return { title: line.trim(), dueDate: null, category: null, day: null, time: null };
  return { title, category, day, time, dueDate: day ? (time ? instant(day, time, zone) : day) : null };
}
