// The line of quick add: what it says of repeating, in English, Korean and Japanese; the reader of dates gets the rest. What stands
// between quotation marks is not read, and what is not understood stays as it is.
import { findDay, instant, readLine } from "./dates.js";
import { anchored, firstDay, loose } from "./repeat.js";
import { readRule, weekdays } from "../client/kanbase.js";

const day = "(?:mon|tue|wed|thu|fri|sat|sun|tues|thurs?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)";
const dayList = `(${day}(?:(?: ?, ?(?:and )?| and | ?& ?| )(?:every )?${day}(?![a-z]))*)`;
const month = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?";
const nth = "(\\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|last)";
const count = "(?:(other|second|two|three|four|six|\\d{1,4})(?:nd|rd|th)? )?";
const ko = "[월화수목금토일]";
const ja = "[月火水木金土日]";
const koDays = `((?:${ko}(?:요일)?(?:, ?|·|와 |과 | ))*${ko}요일)`;
const jaDays = `((?:${ja}(?:曜日?)?[、,・と\\s])*${ja}曜日?|(?:${ja}[、,・])+${ja})`;

/** @type {(rest: string) => RegExp} */
const english = (rest) => new RegExp(`(?:^|\\s)every(!)? ${rest},?(?=\\s|$)`, "i");
/** @type {(rest: string) => RegExp} */
const inKorean = (rest) => new RegExp(`(?:^|\\s)(완료 ?후 ?)?${rest}(!)?(?:에|까지)?,?(?=\\s|$)`);
/** @type {(rest: string) => RegExp} */
const japanese = (rest) => new RegExp(`(?:^|\\s|(?<=まで|間|から))(完了後)?${rest}(!)?(?:に?まで)?(?:[のに]|、(?=\\d)|(?=\\s|\\d{1,2}[時:月]|午|$))`);

/** @type {(word: string | undefined) => number} */
const number = (word = "1") => parseInt(word, 10) || { other: 2, two: 2, second: 2, three: 3, third: 3, four: 4, fourth: 4, five: 5, six: 6, ten: 10, first: 1, a: 1, an: 1, one: 1, last: -1 }[word.toLowerCase()] || NaN;
/** @type {(list: string) => string} */
const named = (list) => [...list.toLowerCase().replace(/요일|曜日?/g, "").matchAll(/(?<![a-z])(?:mo|tu|we|th|fr|sa|su)|[월화수목금토일月火水木金土日]/g)]
  .map(([name]) => weekdays[weekdays.indexOf(name.toUpperCase())] ?? weekdays["월화수목금토일月火水木金土日".indexOf(name) % 7]).join();

// Rules, without FREQ. Null: there is no such day.
/** @type {(frequency: string, interval: number, by?: string) => string | null} */
const rule = (frequency, interval, by = "") => (interval >= 1 && interval <= 1000 ? `${frequency}${interval > 1 ? `;INTERVAL=${interval}` : ""}${by}` : null);
/** @type {(list: string, interval?: number) => string | null} */
const weekly = (list, interval = 1) => rule("WEEKLY", interval, `;BYDAY=${named(list)}`);
/** @type {(from: string, to: string) => string | null} */
const span = (from, to) => {
  const [first, last] = [from, to].map((name) => weekdays.indexOf(named(name)));
  return weekly([...Array((last - first + 7) % 7 + 1).keys()].map((day) => weekdays[(first + day) % 7]).join());
};
/** @type {(date: number, interval?: number) => string | null} */
const monthly = (date, interval = 1) => (date >= -1 && date && date <= 31 ? rule("MONTHLY", interval, `;BYMONTHDAY=${date}${date > 28 ? ";SKIP=BACKWARD" : ""}`) : null);
/** @type {(place: number, day: string) => string | null} */
const placed = (place, day) => (place >= -1 && place && place <= 5 ? `MONTHLY;BYDAY=${place}${named(day)}` : null);
/** @type {(month: number, date: number) => string | null} */
const yearly = (month, date) => (month && month <= 12 && date && date <= new Date(2000, month, 0).getDate() ? anchored("YEARLY", `2000-${String(month).padStart(2, "0")}-${String(date).padStart(2, "0")}`) : null);
/** @type {(name: string) => number} */
const monthNumber = (name) => "janfebmaraprmayjunjulaugsepoctnovdec".indexOf(name.toLowerCase()) / 3 + 1;
/** @type {(unit: string) => string} */
const unitOf = (unit) => (/^[d일日]/i.test(unit) ? "DAILY" : /^[w주週]/i.test(unit) ? "WEEKLY" : /^[y년年]/i.test(unit) ? "YEARLY" : "MONTHLY");
const onWorkdays = () => weekly("mo tu we th fr");

/** @type {[RegExp, (match: string[]) => string | null][]} */
const patterns = [
  [english(`(?:year on )?${month} (\\d{1,2})(?:st|nd|rd|th)?`), ([, , name, date]) => yearly(monthNumber(name), Number(date))],
  [english(`(?:month on )?(?:the )?${nth} (${day})(?: of the month)?`), ([, , place, name]) => placed(number(place), name)],
  [english(`${count}months? on (?:the )?${nth}(?: day)?`), ([, , word, date]) => monthly(number(date), number(word))],
  [english("(?:weekday|workday)s?"), onWorkdays],
  [english("weekends?"), () => weekly("sa su")],
  [english(`${count}(day|week|month|year)s?(?: on ${dayList})?`), ([, , word, unit, list]) => (
    !list ? rule(unitOf(unit), number(word)) : unitOf(unit) === "WEEKLY" ? weekly(list, number(word)) : null)],
  [english("(?:the )?(\\d{1,2}(?:st|nd|rd|th)|last(?= day)|first(?= day))(?: day)?(?: of the month)?"), ([, , date]) => monthly(number(date))],
  [english(`(${day}) ?(?:-|–|to|thru|through) ?(${day})`), ([, , from, to]) => span(from, to)],
  [english(`(other )?${dayList}`), ([, , other, list]) => weekly(list, other ? 2 : 1)],

  [inKorean("(?:매 ?)?평일마다"), onWorkdays],
  [inKorean(`매주 ?(${ko})(?:요일)?(?:[~-]|부터 ?)(${ko})요일(?:마다)?`), ([, , from, to]) => span(from, to)],
  [inKorean(`(${ko})(?:요일)?(?:[~-]|부터 ?)(${ko})요일마다`), ([, , from, to]) => span(from, to)],
  [inKorean(`(?:매주|(격)주|(\\d{1,4})주 ?마다) ?${koDays}(?:마다)?`), ([, , other, count, list]) => weekly(list, other ? 2 : number(count))],
  [inKorean(`${koDays}마다`), ([, , list]) => weekly(list)],
  [inKorean("매[월달] ?(?:(\\d{1,2})일|말일|마지막 ?날)"), ([, , date = "-1"]) => monthly(Number(date))],
  [inKorean(`매[월달] ?(첫째|둘째|셋째|넷째|마지막) ?(?:주 ?)?(${ko}요일)`), ([, , place, day]) => placed("첫둘셋넷".indexOf(place[0]) + 1 || -1, day)],
  [inKorean("매년 ?(\\d{1,2})월 ?(\\d{1,2})일"), ([, , month, date]) => yearly(Number(month), Number(date))],
  [inKorean("(?:매([일주월달년])|격(주))"), ([, , unit, other]) => rule(unitOf(unit ?? other), other ? 2 : 1)],
  [inKorean("(\\d{1,4}) ?(일|주|개월|달|년) ?마다"), ([, , count, unit]) => rule(unitOf(unit), Number(count))],

  [japanese("(?:平日毎日|毎平日)"), onWorkdays],
  [japanese(`毎週(${ja})(?:曜日?)?(?:[~〜～-]|から)(${ja})曜日?`), ([, , from, to]) => span(from, to)],
  [japanese(`(?:毎週|(隔)週|(\\d{1,4})週間?(?:ごと|毎)の?)\\s?${jaDays}`), ([, , other, count, list]) => weekly(list, other ? 2 : number(count))],
  [japanese("毎月\\s?(?:(\\d{1,2})日|末日?)"), ([, , date = "-1"]) => monthly(Number(date))],
  [japanese(`毎月\\s?(?:第(\\d)|最終)(${ja})曜日?`), ([, , place = "-1", day]) => placed(Number(place), day)],
  [japanese("毎年\\s?(\\d{1,2})月(\\d{1,2})日"), ([, , month, date]) => yearly(Number(month), Number(date))],
  [japanese("(?:毎([日週月年])|隔(週))"), ([, , unit, other]) => rule(unitOf(unit ?? other), other ? 2 : 1)],
  [japanese("(\\d{1,4})(日|週間?|[かヶカ]月|年)(?:ごと|毎)"), ([, , count, unit]) => rule(unitOf(unit), Number(count))],
];

/** @type {(text: string) => string} of the same length, so that places in one are places in the other; the mark of the rule is \0 */
const unquoted = (text) => text.replace(/"[^"]*"|“[^”]*”|「[^」]*」/g, (part) => "\x01".repeat(part.length))
  .replace(/[０-９！]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xfee0)).replace(/\s/g, " ");

const durations = [
  /(?<=\0.*) for (?:the next )?(\d{1,4}|an?|one|two|three|four|five|six|ten) (time|day|week|month|year)s?(?=\s|$)/i,
  /(?:^|\s)(\d{1,4}) ?(일|주|개월|달|년) ?(?:동안|간)(?=\s|$)/,
  /(?:^|\s)(\d{1,4})(日|週|[かヶカ]月|年)間(?:[のに]|(?=\s|$))/,
];
/** After a rule that names its days, or a comma; `every day 3 times` is what somebody does on each day. */
const timesAlone = /(?<=\0 *)(?:총 ?)?(\d{1,5})(?: (times)|(?: ?[번회]만?|回(?:だけ)?[のに]?))(?=\s|$)/i;
const suffix = "(?<=까지|まで[のに]?)";
const behind = (/** @type {string} */ words) => `(?:^|\\s)(?:${words})`;
/** Days that are neither the first nor the last one. */
const otherDays = [[behind("and|or|&|to|by|except|but|not|after|before|그리고|또는|및"), ""], ["", "(?=\\s(?:제외|빼고|말고))"]];
/** Ends and days that are not understood. */
const halfRead = new RegExp(`(?<=\0.*)\\s(?:un)?till?\\s|\0 *(?:and|or|&|except|but|not)(?: on)? (?:the )?(?:\\d{1,2}(?:st|nd|rd|th)|${day})(?![a-z])|[일월년말달주해](?:까지|부터)(?=\\s|$)|[日月年末週曜](?:まで|から)|\0 *${ko}(?:요일)?[,·~]`, "i");

/** @type {(rule: string, amount: number, unit: string) => number} how often a rule occurs in that time; NaN where that is not plain */
function occurrences(given, amount, unit) {
  const rule = /** @type {Rule} */ (readRule(`FREQ=${given}`));
  const periods = amount * ({ DAILYWEEKLY: 7, MONTHLYYEARLY: 12 }[rule.frequency + unitOf(unit)] ?? (rule.frequency === unitOf(unit) ? 1 : NaN)) / rule.interval;
  return Number.isInteger(periods) ? periods * (rule.weekdays.length || 1) : NaN;
}

/**
 * What a line says of repeating, and the rest of it. Null: of what it says only a half would be understood, and half of it is not taken.
 * @param {string} line @param {string} today
 * @returns {{rule: string, from: Recurrence["from"], count: number, until?: string, start?: string, rest: string} | null | undefined}
 */
function readRepeat(line, today) {
  let rest = line;
  const cut = (/** @type {RegExpMatchArray} */ { index = 0, 0: { length } }, mark = " ") => { rest = rest.slice(0, index) + mark + rest.slice(index + length); };
  const find = () => {
    for (const [pattern, read] of patterns) {
      const match = unquoted(rest).match(pattern);
      if (match) return { match, rule: read(match) };
    }
  };
  const findAt = (/** @type {string[][]} */ places, words = unquoted(rest)) => {
    for (const [before, after] of places) {
      const found = findDay(words, today, before, after);
      if (found) return found;
    }
  };
  const takeDay = (/** @type {string[][]} */ places, words = unquoted(rest)) => {
    const found = findAt(places, words);
    if (found) cut(found.match);
    return found?.day;
  };
  const found = find();
  if (!found?.rule) return found && null;
  const { match, rule } = found;
  cut(match, " \0 ");
  const hasComma = /[,、]$/.test(match[0]);
  let count = 0;
  for (const pattern of hasComma || /BY/.test(rule) ? [...durations, timesAlone] : durations) {
    const match = unquoted(rest).match(pattern);
    if (!match) continue;
    cut(match);
    const amount = number(match[1]);
    count += pattern === timesAlone || /^t/i.test(match[2]) ? amount : occurrences(rule, amount, match[2]);
    if (!(count >= 1 && count <= 10000)) return null;
  }
  const until = takeDay([[behind("until|till?|through|thru"), ""], ["", suffix]]);
  const start = takeDay([[behind("starting|beginning|from"), ""]]) ?? takeDay([["", suffix]], unquoted(rest).replace(/부터(?=\s|$)/g, "까지").replace(/から/g, "まで"));
  const unsaid = hasComma ? [...otherDays, ["\0 *", ""]] : otherDays;
  if ((count && until) || find() || findAt(unsaid) || (start && findAt([["", ""]])) || halfRead.test(unquoted(rest)) || (/^MONTHLY/.test(rule) && /\0 *\d{1,2}[일日](?! ?[뒤후後])/.test(unquoted(rest)))) return null;
  return { rule: `FREQ=${rule}`, from: match[1] || match.at(-1) === "!" ? "completion" : "due", count, until, start, rest: rest.replace("\0", "") };
}

/**
 * Parses a line: what repeats, then dates and the category. A line that says nothing else is a title.
 * @param {string} line @param {Parameters<typeof readLine>[1]} moment  without dates, nothing repeats
 * @returns {ReturnType<typeof readLine> & {recurrence: Recurrence | null}}
 */
export function readQuick(line, moment) {
  const { off = new Set(), today, zone } = moment;
  const found = off.has("due") ? undefined : readRepeat(line, today);
  if (found === undefined) return { ...readLine(line, moment), recurrence: null };
  const read = found && readLine(found.rest, moment);
  const day = found && firstDay(found.rule, found.start ?? read?.day ?? today);
  // A day of what is not understood is no due date.
  if (!found || !read || !day || (found.until && found.until < day)) return { ...readLine(line, { ...moment, off: new Set([...off, "due"]) }), recurrence: null };
  const { rule, from, count, until, rest } = found;
  if (!rest.trim()) return { title: line.trim(), category: null, day: null, time: null, dueDate: null, recurrence: null };
  const end = count ? `;COUNT=${count}` : until ? `;UNTIL=${until.replaceAll("-", "")}` : "";
  return {
    ...read, day, dueDate: read.time ? instant(day, read.time, zone) : day,
    recurrence: { rule: (from === "due" ? anchored(rule, day) : loose(rule)) + end, from, timeZone: null },
  };
}
