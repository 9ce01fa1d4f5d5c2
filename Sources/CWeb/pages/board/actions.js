// Actions on tasks and categories, with undo.
import { uuid } from "./api.js";
import { announce, text } from "./page.js";
import { between, columns } from "./model.js";
import { noDraft } from "./sync.js";

/** @param {App} app @param {string} id @returns {Where} */
function whereIs(app, id) {
  const task = app.model.tasks.get(id);
  if (!task) return { place: "last" };
  const column = app.model.column(task.status);
  const before = column[column.findIndex((other) => other.id === id) - 1];
  return { status: task.status, ...(before ? { after: before.id } : { place: "first" }) };
}

/** @param {App} app @param {string} id @param {Where} where */
function positionAt(app, id, where) {
  const status = where.status ?? app.model.tasks.get(id)?.status ?? "todo";
  const column = app.model.column(status).filter((task) => task.id !== id);
  const anchor = column.findIndex((task) => task.id === (where.before ?? where.after));
  let index = column.length;
  if (where.place === "first") index = 0;
  else if (anchor >= 0) index = where.before ? anchor : anchor + 1;
  return between(column[index - 1]?.position ?? null, column[index]?.position ?? null);
}

/** @param {App} app @param {string} id @param {Where} where */
export function move(app, id, where, isUndo = false) {
  const task = app.model.tasks.get(id);
  if (!task || where.before === id || where.after === id) return;
  const back = whereIs(app, id);
  const status = where.status ?? task.status;
  app.engine.edit([{ type: "task", op: "move", id, value: { ...where, status }, position: positionAt(app, id, { ...where, status }) }]);
  const place = app.model.list(status).findIndex((other) => other.id === id) + 1;
  const message = text.movedTo(task.title, text[status], place);
  announce(message);
  if (app.board && !app.board.show(id)) app.toast(message, { action: text.show, run: () => app.reveal(id) });
  if (isUndo) return;
  const step = app.undo.push(() => move(app, id, back, true));
  if (!app.board) app.toast(message, { action: text.undo, run: () => app.undo.run(step) });
}

/**
 * Edits of a task. Undo takes back what nobody has changed since.
 * @param {App} app @param {string} id @param {Intent[]} intents @param {Change[]} also
 */
export function edit(app, id, intents, also) {
  const { tasks } = app.model;
  const before = tasks.get(id);
  const back = whereIs(app, id);
  app.engine.edit(intents, also);
  const after = tasks.get(id);
  if (!before || !after) return;
  app.undo.push(() => {
    const now = tasks.get(id);
    const isMine = (/** @type {keyof Task} */ name) => now && before[name] !== after[name]
      // The server writes a time in its own way.
      && (now[name] === after[name] || (name === "dueDate" && Date.parse(String(now[name])) === Date.parse(String(after[name]))));
    const names = /** @type {const} */ (["title", "body", "categoryId", "dueDate"]).filter(isMine);
    if (names.length > 0) app.engine.edit([{ type: "task", op: "patch", id, value: Object.fromEntries(names.map((name) => [name, before[name]])) }]);
    if (isMine("status")) move(app, id, back, true);
    else app.board?.show(id);
    announce(text.restored(before.title));
  });
}

/** @param {App} app @param {string} id @param {number} step */
export function moveBy(app, id, step) {
  const task = app.model.tasks.get(id);
  const status = task && columns[columns.indexOf(task.status) + step];
  if (status) move(app, id, { status, place: "last" });
}

/**
 * Moves a task up or down among the visible ones.
 * @param {App} app
 * @param {string} id
 * @param {number} step
 */
export function moveWithin(app, id, step) {
  const task = app.model.tasks.get(id);
  if (!task) return;
  if (app.model.filter.sort !== "position") return app.toast(text.isSorted);
  const list = app.model.list(task.status);
  const neighbour = list[list.findIndex((other) => other.id === id) + step];
  if (neighbour) move(app, id, step < 0 ? { before: neighbour.id } : { after: neighbour.id });
}

/** @param {App} app @param {string} id */
export function remove(app, id) {
  const task = app.model.tasks.get(id);
  if (!task) return;
  const back = whereIs(app, id);
  const list = app.model.list(task.status);
  const index = list.findIndex((other) => other.id === id);
  const neighbour = list[index + 1] ?? list[index - 1];
  const { draft } = app.engine.mirror;
  const kept = [`task:${id}`, `rename:${id}`].filter((key) => draft.has(key)).map((key) => ({ store: /** @type {const} */ ("draft"), key, value: draft.get(key) }));
  app.engine.edit([{ type: "task", op: "delete", id }], kept.map(({ key }) => noDraft(key)));
  if (neighbour) app.board?.focus(neighbour.id);
  else app.board?.columns.get(task.status)?.add.focus();
  const { status, ...value } = back;
  const step = app.undo.push(() => {
    restore(app, id, value, positionAt(app, id, back), kept);
    announce(text.restored(task.title));
  });
  app.toast(text.removed(task.title), { action: text.undo, run: () => app.undo.run(step) });
  // With what has the focus now.
  if (app.board) announce(`${text.removed(task.title)}. ${neighbour?.title ?? text.addTo(text[task.status])}`);
}

/**
 * Undo deletes it.
 * @param {App} app @param {{id: string, title: string}} task
 */
export function undoAdding(app, { id, title }) {
  app.undo.push(() => {
    app.engine.edit([{ type: "task", op: "delete", id }]);
    announce(text.removed(title));
  });
}

/** @param {App} app @param {string} id @param {Where} [value] @param {string} [position] @param {Change[]} [also] */
export function restore(app, id, value, position, also) {
  app.engine.edit([{ type: "task", op: "restore", id, ...(value && { value }), position }], also);
  app.board?.show(id);
}

/** @param {string} name @returns {Intent} */
export function addCategory(name) {
  return { type: "category", op: "create", id: uuid(), value: { name } };
}

/** The steps that can be undone, newest first. */
export class Undo {
  constructor() {
    /** @type {(() => void)[]} */
    this.steps = [];
  }

  /** @param {() => void} step */
  push(step) {
    this.steps.push(step);
    if (this.steps.length > 100) this.steps.shift();
    return step;
  }

  /** @param {(() => void)} [step] */
  run(step = this.steps.at(-1)) {
    if (!step) return;
    this.steps = this.steps.filter((other) => other !== step);
    step();
  }
}
