// Undo, as new edits: what leads from one state of a task, a category or a D-day back to another, as far as nobody has changed it since.
import { defaults } from "./mirror.js";
import { between } from "./views.js";

/** @param {Views} views @param {Target} target @returns {any} as the user sees it */
export function valueOf(views, { type, id }) {
  return { task: views.tasks, category: views.categories, dday: views.ddays }[type].get(id);
}

/** @param {Views} views @param {Target} target @returns {Stand} */
export function stateOf(views, target) {
  const value = valueOf(views, target);
  return { value, ...(value && target.type === "task" && { where: whereIs(views, value) }) };
}

/** @param {Views} views @param {Task} task @returns {Where} */
function whereIs(views, { id, status }) {
  const column = views.column(status);
  const index = column.findIndex((other) => other.id === id);
  const before = column[index - 1];
  return { status, ...(before ? { after: before.id } : { place: "first" }), next: column[index + 1]?.id };
}

/** @param {Views} views @param {string} id @param {Where} where */
export function positionIn(views, id, where) {
  const column = views.column(where.status ?? "todo").filter((task) => task.id !== id);
  const anchor = column.findIndex((task) => task.id === (where.before ?? where.after));
  let index = column.length;
  if (where.place === "first") index = 0;
  else if (anchor >= 0) index = where.before ? anchor : anchor + 1;
  return between(column[index - 1]?.position ?? null, column[index]?.position ?? null);
}

/**
 * @param {Views} views @param {Target} target @param {Stand} old @param {Stand} wanted
 * @param {boolean} [isLeft] true if it stays in its place; known before the first one of several moves
 * @returns {Intent[]}
 */
export function turn(views, target, old, wanted, isLeft = stays(views, target, old, wanted)) {
  const [from, to] = [old, wanted].map(({ value, where }) => ({ where, value: value && { ...value, categoryId: views.idOf(value.categoryId) } }));
  const now = valueOf(views, target);
  const { type, id } = target;
  const where = to.where && settled(views, to.where);
  const isUntouched = (/** @type {string} */ name) => isSame(name, now[name], from.value?.[name]);
  const members = Object.keys(defaults[type]).filter((name) => !["completedAt", "position", "revision"].includes(name));
  if (!to.value) return now && members.every(isUntouched) ? [{ ...target, op: "delete" }] : [];
  if (!from.value) {
    if (now) return [];
    const { status, ...value } = where ?? {};
    return [{ ...target, op: "restore", ...(where && { value, position: positionIn(views, id, where) }) }];
  }
  if (!now) return [];
  // The column is a move's, and with it the rule of a task that is completed; the rest is the server's.
  const isWithin = from.value.status === to.value.status;
  const names = members.filter((name) => name !== "status" && (isWithin || name !== "recurrence")
    && !isSame(name, from.value[name], to.value[name]) && isUntouched(name));
  const isMoved = where && !isLeft && isUntouched("status");
  return [
    ...(names.length ? [/** @type {Intent} */ ({ ...target, op: "patch", value: Object.fromEntries(names.map((name) => [name, to.value[name] ?? null])) })] : []),
    ...(isMoved ? [/** @type {Intent} */ ({ ...target, op: "move", value: where, position: positionIn(views, id, where) })] : []),
  ];
}

/**
 * True of a task that was not moved, and of one that another device took from between its neighbours since. The position alone does
 * not tell: the server gives another.
 * @param {Views} views @param {Target} target @param {Stand} from @param {Stand} to
 */
export function stays(views, { id }, { value: old, where }, { value: wanted }) {
  const task = views.tasks.get(id);
  if (!task || !old || !wanted || (old.status === wanted.status && old.position === wanted.position)) return true;
  const column = /** @type {unknown[]} */ (views.column(task.status).map((task) => task.id));
  const index = column.indexOf(id);
  return column.indexOf(where?.after) > index || column.slice(0, index).includes(where?.next);
}

/** @param {string} name @param {any} a @param {any} b */
export function isSame(name, a, b) {
  // The server writes a time in its own way, and reminders in its own order.
  if (name === "reminders" && a && b) return String([...a].sort()) === String([...b].sort());
  if (name === "dueDate" && a && b) return a.length > 10 === b.length > 10 && Date.parse(a) === Date.parse(b);
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/**
 * The task that it is after may be elsewhere now.
 * @param {Views} views @param {Where} where @returns {Where}
 */
function settled(views, { status, after, place }) {
  return { status, ...(views.tasks.get(after ?? "")?.status === status ? { after } : { place: place ?? "last" }) };
}
