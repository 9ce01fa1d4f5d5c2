// Reads a line of quick add: "Call mum tomorrow 3pm #family", "보고서 내일 3시 #일", "買い物 明日 15時".
import { addDays, daysBetween, instant, weekday } from "./dates.js";

/** @type {[RegExp, (match: RegExpMatchArray, today: string) => string | null][]} */
const days = [
  [/(?:^|\s)(\d{4}-\d{2}-\d{2})(?=\s|$)/, (match) => validDay(match[1])],
  [/(?:^|\s)(\d{4})年(\d{1,2})月(\d{1,2})日/, (match) => made(match[1], match[2], match[3])],
  [/(?:^|\s)(\d{4})년 ?(\d{1,2})월 ?(\d{1,2})일(?:까지)?(?=\s|$)/, (match) => made(match[1], match[2], match[3])],
  [/(?:^|\s)(\d{1,2})月(\d{1,2})日(?:まで)?/, (match, today) => nextDate(match[1], match[2], today)],
  [/(?:^|\s)(\d{1,2})월 ?(\d{1,2})일(?:까지)?(?=\s|$)/, (match, today) => nextDate(match[1], match[2], today)],
  [/(?:^|\s)(day after tomorrow)(?=\s|$)/i, (_, today) => addDays(today, 2)],
  [/(?:^|\s)(today|tonight)(?=\s|$)/i, (_, today) => today],
  [/(?:^|\s)(tomorrow|tmrw)(?=\s|$)/i, (_, today) => addDays(today, 1)],
  [/(?:^|\s)in (\d{1,3}) days?(?=\s|$)/i, (match, today) => addDays(today, Number(match[1]))],
  [/(?:^|\s)(?:on |next )?(sun|mon|tues|wednes|thurs|fri|satur)day(?=\s|$)/i, (match, today) =>
    nextWeekday(["sun", "mon", "tues", "wednes", "thurs", "fri", "satur"].indexOf(match[1].toLowerCase()), today)],
  [/(?:^|\s)(오늘)(?:까지)?(?=\s|$)/, (_, today) => today],
  [/(?:^|\s)(내일)(?:까지)?(?=\s|$)/, (_, today) => addDays(today, 1)],
  [/(?:^|\s)(모레)(?:까지)?(?=\s|$)/, (_, today) => addDays(today, 2)],
  [/(?:^|\s)(\d{1,3})일 (?:후|뒤)(?=\s|$)/, (match, today) => addDays(today, Number(match[1]))],
  [/(?:^|\s)([일월화수목금토])요일(?:까지)?(?=\s|$)/, (match, today) => nextWeekday("일월화수목금토".indexOf(match[1]), today)],
  [/(?:^|\s)(今日)(?:まで)?(?:の|(?=\s|\d|午|に|$))/, (_, today) => today],
  [/(?:^|\s)(明後日)(?:まで)?(?:の|(?=\s|\d|午|に|$))/, (_, today) => addDays(today, 2)],
  [/(?:^|\s)(明日)(?:まで)?(?:の|(?=\s|\d|午|に|$))/, (_, today) => addDays(today, 1)],
  [/(?:^|\s)(\d{1,3})日後(?=\s|$)/, (match, today) => addDays(today, Number(match[1]))],
  [/(?:^|\s)([日月火水木金土])曜日?(?:まで)?(?=\s|\d|午|に|の|$)/, (match, today) => nextWeekday("日月火水木金土".indexOf(match[1]), today)],
];

/** @type {[RegExp, (match: RegExpMatchArray) => string | null][]} */
const times = [
  [/(?:^|\s)(?:at )?(\d{1,2})(?::(\d{2}))? ?(am|pm)(?=\s|$)/i, (match) => clock(match[1], match[2], match[3].toLowerCase())],
  [/(?:^|\s)(?:at )?(\d{1,2}):(\d{2})(?=\s|$)/i, (match) => clock(match[1], match[2])],
  [/(?:^|\s)(오전|오후|아침|저녁|밤)? ?(\d{1,2})시 ?(?:(\d{1,2})분|(반))?(?:까지|에)?(?=\s|$)/, (match) =>
    clock(match[2], match[4] ? "30" : match[3], korean(match[1], Number(match[2])))],
  [/(?:^|\s|(?<=日|で|曜))(午前|午後)?(\d{1,2})時(?:(\d{1,2})分|(半))?(?:まで|に)?(?!間)/, (match) =>
    clock(match[2], match[4] ? "30" : match[3], match[1] === "午後" ? "pm" : match[1] === "午前" ? "am" : undefined)],
];

/**
 * An hour of 1–7 without am or pm is in the afternoon.
 * @param {string | undefined} word
 * @param {number} hour
 */
function korean(word, hour) {
  if (word === "오전" || word === "아침") return "am";
  if (word) return "pm";
  return hour >= 1 && hour <= 7 ? "pm" : undefined;
}

/** @param {string} hour @param {string | undefined} minute @param {string} [half] */
function clock(hour, minute, half) {
  let hours = Number(hour);
  const minutes = Number(minute ?? 0);
  if (half && (hours < 1 || hours > 12)) return null;
  if (half === "pm" && hours < 12) hours += 12;
  if (half === "am" && hours === 12) hours = 0;
  if (hours > 23 || minutes > 59) return null;
  return `${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
}

/** @param {string} day */
function validDay(day) {
  const time = Date.parse(`${day}T00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== day ? null : day;
}

/** @param {string} year @param {string} month @param {string} day */
function made(year, month, day) {
  return validDay(`${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`);
}

/** @param {string} month @param {string} day @param {string} today */
function nextDate(month, day, today) {
  const year = Number(today.slice(0, 4));
  const first = made(String(year), month, day);
  return first && daysBetween(today, first) < 0 ? made(String(year + 1), month, day) : first;
}

/**
 * The next day with this weekday, never today.
 * @param {number} wanted
 * @param {string} today
 */
function nextWeekday(wanted, today) {
  return addDays(today, (wanted - weekday(today) + 6) % 7 + 1);
}

/**
 * Parses a line; the rest of it is the title. Text that only looks like a date stays in the title.
 * @param {string} line
 * @param {{today: string, zone: string, now?: string}} moment  `now`: the time of day, `14:05`
 * @returns {{title: string, dueDate: string | null, category: string | null, day: string | null, time: string | null}}
 */
export function readLine(line, { today, zone, now = "00:00" }) {
  let rest = line;
  /** @type {string | null} */
  let category = null;
  const tag = rest.match(/(?:^|\s)#(?!\d+(?:\s|$))([^\s#]{1,50})(?=\s|$)/u);
  if (tag) {
    category = tag[1];
    rest = cut(rest, tag);
  }
  /** @type {string | null} */
  let day = null;
  /** @type {string | null} */
  let time = null;
  for (const [pattern, read] of days) {
    const match = rest.match(pattern);
    day = match ? read(match, today) : null;
    if (match && day) { rest = cut(rest, match); break; }
  }
  for (const [pattern, read] of times) {
    const match = rest.match(pattern);
    time = match ? read(match) : null;
    if (match && time) { rest = cut(rest, match); break; }
  }
  // A time without a date is its next occurrence.
  if (time && !day) day = time > now ? today : addDays(today, 1);
  const title = rest.replace(/\s+/g, " ").trim();
  // A line with only a date is a title.
  if (!title) return { title: line.trim(), dueDate: null, category: null, day: null, time: null };
  return { title, category, day, time, dueDate: day ? (time ? instant(day, time, zone) : day) : null };
}

/** @param {string} text @param {RegExpMatchArray} match */
function cut(text, match) {
  const start = match.index ?? 0;
  return `${text.slice(0, start)} ${text.slice(start + match[0].length)}`;
}
