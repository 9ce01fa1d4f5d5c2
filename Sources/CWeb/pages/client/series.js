// What completing, reopening and editing a task that comes back does, by the rules of TaskSuccession in the server's Kanban, so that
// both make the same task. Pure functions.
import { falls, followingDue } from "./recurrence.js";

/**
 * What an edit does beside what it says: `own` to the task itself, `next` to the one that follows it; null removes that.
 * @type {(before: Task | undefined, after: Task, board: Surroundings) => Pick<Entry, "own" | "next">}
 */
export function succession(before, after, board) {
  const isHandedOn = before?.status === "done" && before.seriesId && !before.recurrence;
  if (isHandedOn) {
    const next = following(before, board);
    const isTouched = !next || next.createdAt !== next.updatedAt || next.status !== "todo" || board.isTouched(next.id);
    if (after.status !== "done" && after.dueDate && next?.recurrence && !isTouched) {
      return { own: { recurrence: board.ends ? null : after.recurrence ?? next.recurrence }, next: { id: next.id, value: null } };
    }
    // The rule of a completed task is with another one, which takes what an edit of this one says of it, that it ends as well.
    const holder = after.recurrence || board.ends ? holderOf(before, board) : undefined;
    const isSame = JSON.stringify(holder?.recurrence) === JSON.stringify(after.recurrence);
    if (after.status === "done" || board.ends || (holder && isSame)) {
      return { own: { recurrence: null }, next: holder && !isSame ? { id: holder.id, value: { recurrence: after.recurrence } } : undefined };
    }
  }
  const own = seriesOf(before, after, board.zone);
  // A rule that comes after the completion counts as if it had been there.
  const next = before && after.status === "done" && (before.status !== "done" || after.recurrence !== before.recurrence) ? successor({ ...after, ...own }, board) : undefined;
  return next ? { own: { ...own, recurrence: null }, next } : { own };
}

/** @type {(task: Task, board: Surroundings) => Task | undefined} the one that a completed task was followed by, while it lives */
function following({ seriesId, occurrence: last }, { find, wasRemoved }) {
  for (let occurrence = (last ?? 0) + 1; ; occurrence += 1) {
    const id = uuidOf(String(occurrence), seriesId ?? "");
    const next = find(id);
    if (next || !wasRemoved(id)) return next?.seriesId === seriesId ? next : undefined;
  }
}

/** @type {(task: Task, board: Surroundings) => Task | undefined} the one that has the rule by now, if it is not far */
function holderOf(task, board) {
  let holder = following(task, board);
  for (let count = 0; holder?.status === "done" && !holder.recurrence && count < 100; count += 1) holder = following(holder, board);
  return holder?.recurrence ? holder : undefined;
}

/** @type {(task: Task, at: string, zone: string) => Partial<Task> | undefined} what a skip makes of a task; nothing when no date follows */
export function skipped(task, at, zone) {
  const dueDate = followingDue(task, at, zone);
  return dueDate ? { dueDate, occurrence: (task.occurrence ?? 1) + 1 } : undefined;
}

/** @type {(before: Task | undefined, after: Task, zone: string) => Partial<Task>} the series that an edit begins, or begins anew */
function seriesOf(before, after, zone) {
  const { recurrence, dueDate } = after;
  if (!recurrence || !dueDate) return {};
  // Never the id of a series that may go on with another task.
  if (!before?.recurrence) return { seriesId: before?.seriesId ? uuidOf(before.seriesId, after.id) : after.id, occurrence: 1, seriesStart: dueDate };
  const isSame = dueDate === before.dueDate && JSON.stringify(recurrence) === JSON.stringify(before.recurrence);
  // What is no date of the rule begins its dates anew.
  return isSame || falls(recurrence, dueDate, before.seriesStart ?? dueDate, zone) ? {} : { seriesStart: dueDate };
}

/** @type {(task: Task, board: Surroundings) => Entry["next"]} */
function successor(task, { at, zone, find, wasRemoved, end }) {
  const due = followingDue(task, task.completedAt ?? at, zone);
  const { seriesId, seriesStart, recurrence, occurrence: last } = task;
  for (let occurrence = (last ?? 1) + 1; due && seriesId && occurrence <= (last ?? 1) + 100; occurrence += 1) {
    const id = uuidOf(String(occurrence), seriesId);
    const known = find(id);
    // Completed or deleted before: the id is used up.
    if (known?.status === "done" || (!known && wasRemoved(id))) continue;
    const handed = { seriesId, seriesStart, recurrence, occurrence, dueDate: known?.dueDate ?? due };
    return { id, value: known ? handed : { ...task, ...handed, id, status: "todo", completedAt: null, createdAt: at, updatedAt: at, position: `${end()}V`, revision: 0 } };
  }
}

/**
 * A UUID of version 5 (RFC 9562 §5.5): the same name in the same space has the same id.
 * @type {(name: string, space: string) => string}
 */
export function uuidOf(name, space) {
  const words = sha1([...(space.match(/\w\w/g) ?? []).map((pair) => parseInt(pair, 16)), ...new TextEncoder().encode(name)]);
  words[1] = (words[1] & 0xffff0fff) | 0x5000;
  words[2] = (words[2] & 0x3fffffff) | 0x80000000;
  const hex = words.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  return hex.slice(0, 32).replace(/^(.{8})(....)(....)(....)/, "$1-$2-$3-$4-");
}

/**
 * FIPS 180-4, of bytes. By hand: that of the browser answers later, and needs HTTPS. Nothing secret depends on it.
 * @type {(bytes: number[]) => number[]}
 */
function sha1(bytes) {
  const turned = (/** @type {number} */ word, /** @type {number} */ count) => (word << count) | (word >>> (32 - count));
  /** @type {number[]} */
  const message = [];
  [...bytes, 0x80].forEach((byte, index) => { message[index >> 2] |= byte << (24 - index % 4 * 8); });
  const length = (bytes.length + 8 >> 6) + 1 << 4;
  message[length - 1] = bytes.length * 8;
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  for (let start = 0; start < length; start += 16) {
    const words = Array.from({ length: 80 }, (_, index) => message[start + index] | 0);
    let [a, b, c, d, e] = state;
    for (let index = 0; index < 80; index += 1) {
      if (index > 15) words[index] = turned(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1);
      const mixed = index < 20 ? ((b & c) | (~b & d)) + 0x5a827999 : index < 40 ? (b ^ c ^ d) + 0x6ed9eba1
        : index < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc : (b ^ c ^ d) + 0xca62c1d6;
      [a, b, c, d, e] = [(turned(a, 5) + mixed + e + words[index]) | 0, a, turned(b, 30), c, d];
    }
    [a, b, c, d, e].forEach((word, index) => { state[index] = (state[index] + word) | 0; });
  }
  return state;
}
