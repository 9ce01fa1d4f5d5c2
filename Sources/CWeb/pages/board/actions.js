// Actions on tasks, categories and D-days. Each is a step that can be undone and done again.
import { noDraft, positionIn, stateOf, stays, turn, uuid, valueOf } from "../client/kanbase.js";
import { describeDue } from "./dates.js";
import { $, text } from "./page.js";
import { columns } from "./model.js";

/** @param {App} app @param {string} id @param {Where} where */
const positionAt = (app, id, where) => positionIn(app.model, id, where);

/** @param {App} app @param {Target} target @returns {Snapshot} */
export function snapshot(app, target) {
  const { draft } = app.engine.mirror;
  const drafts = [`task:${target.id}`, `rename:${target.id}`].filter((key) => draft.has(key))
    .map((key) => ({ store: /** @type {const} */ ("draft"), key, value: draft.get(key) }));
  return { ...stateOf(app.model, target), drafts };
}

/**
 * Does something as one step.
 * @param {App} app @param {Target[]} targets what it changes @param {Intent[]} intents @param {StepOptions} options
 */
export function act(app, targets, intents, { also = [], title, say, spoken, actions = () => [] }) {
  const before = targets.map((target) => snapshot(app, target));
  app.engine.edit(intents, also);
  const after = targets.map((target) => snapshot(app, target));
  if (targets.every((_, index) => JSON.stringify(before[index].value) === JSON.stringify(after[index].value))) return;
  const message = say();
  app.undo.push({ targets, before, after, title, message });
  app.undo.tell(message, text.undo, false, actions(), spoken?.());
}

/** @param {App} app @param {string} id @param {Where} wanted */
export function move(app, id, wanted, actions = () => shown(app, id)) {
  const task = app.model.tasks.get(id);
  if (!task || wanted.before === id || wanted.after === id) return;
  const status = wanted.status ?? task.status;
  const where = { ...wanted, status };
  act(app, [{ type: "task", id }], [{ type: "task", op: "move", id, value: where, position: positionAt(app, id, where) }], {
    title: task.title, say: () => placeOf(app, id), actions,
  });
}

/** @param {App} app @param {string} id */
export function placeOf(app, id) {
  const { title, status } = /** @type {Task} */ (app.model.tasks.get(id));
  return text.movedTo(title, text[status], app.model.list(status).findIndex((other) => other.id === id) + 1);
}

/**
 * Shows a task, or offers to when the filter hides it.
 * @param {App} app @param {string} id @param {{focus?: boolean}} [options] @returns {[string, () => void][]}
 */
export function shown(app, id, options) {
  return !app.board || app.board.show(id, options) ? [] : [[text.show, () => app.reveal(id)]];
}

/**
 * Edits of a task.
 * @param {App} app @param {string} id @param {Intent[]} intents @param {Change[]} also
 */
export function edit(app, id, intents, also) {
  const before = app.model.tasks.get(id);
  act(app, [{ type: "task", id }], intents, {
    also, title: before?.title ?? "",
    say() {
      const after = app.model.tasks.get(id);
      return after && before && after.status !== before.status ? placeOf(app, id) : text.changed(after?.title ?? "");
    },
  });
}

/**
 * Goes to the next date of a task that repeats, without completing it.
 * @param {App} app @param {string} id
 */
export function skip(app, id) {
  const task = app.model.tasks.get(id);
  if (!task) return;
  act(app, [{ type: "task", id }], [{ type: "task", op: "skip", id, value: { occurrence: task.occurrence } }], {
    title: task.title, say: () => text.skipped(task.title, describeDue(app.model.tasks.get(id)?.dueDate ?? "", app.model.zone).label), actions: () => shown(app, id),
  });
}

/**
 * Makes the same task again, right after it.
 * @param {App} app @param {string} id
 */
export function duplicate(app, id) {
  const task = app.model.tasks.get(id);
  if (!task) return;
  const { title, body, status, categoryId, dueDate, reminders, recurrence } = task;
  const copy = uuid();
  const where = { status, after: id };
  const value = { title, body, status, categoryId, dueDate, reminders, ...(recurrence && { recurrence }) };
  act(app, [{ type: "task", id: copy }], [
    { type: "task", op: "create", id: copy, value, position: positionAt(app, copy, where) },
    { type: "task", op: "move", id: copy, value: where, position: positionAt(app, copy, where) },
  ], { title, say: () => text.added(title), actions: () => shown(app, copy) });
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

/**
 * Finishes a task, or begins it again. The board stays where it is, for the next one.
 * @param {App} app @param {string} id
 */
export function tick(app, id) {
  const task = app.model.tasks.get(id);
  if (!task) return;
  const list = app.model.list(task.status);
  const index = list.findIndex((other) => other.id === id);
  const neighbour = list[index + 1] ?? list[index - 1];
  const hasFocus = $(".card :focus")?.closest(".card").dataset.id === id;
  move(app, id, { status: task.status === "done" ? "todo" : "done", place: "last" }, () => {
    if (hasFocus && neighbour) $(".tick", app.board?.cardOf(neighbour.id) ?? document).focus();
    else if (hasFocus) app.board?.columns.get(task.status)?.add.focus();
    return [];
  });
}

/** @param {App} app @param {string} id */
export function remove(app, id) {
  const task = app.model.tasks.get(id);
  if (!task) return;
  const list = app.model.list(task.status);
  const index = list.findIndex((other) => other.id === id);
  const neighbour = list[index + 1] ?? list[index - 1];
  act(app, [{ type: "task", id }], [{ type: "task", op: "delete", id }], {
    also: [`task:${id}`, `rename:${id}`].filter((key) => app.engine.mirror.draft.has(key)).map(noDraft),
    title: task.title, say: () => text.removed(task.title),
    actions() {
      if (neighbour) app.board?.focus(neighbour.id);
      else app.board?.columns.get(task.status)?.add.focus();
      return [];
    },
    // With what has the focus now.
    spoken: () => (app.board ? `${text.removed(task.title)}. ${neighbour?.title ?? text.addTo(text[task.status])}` : undefined),
  });
}

/** @param {string} name @returns {Intent} */
export function addCategory(name) {
  return { type: "category", op: "create", id: uuid(), value: { name } };
}

/** The steps that can be undone and done again, newest last. */
export class Undo {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Step[]} */
    this.done = [];
    /** @type {Step[]} */
    this.undone = [];
  }

  /** @param {Step} step */
  push(step) {
    this.done.push(step);
    this.undone = [];
    if (this.done.length > 100) this.done.shift();
  }

  /**
   * Says what was done, with the way back.
   * @param {string} message @param {string} label @param {boolean} isRedo  whether the way back does it again
   * @param {[string, () => void][]} [actions] @param {string} [spoken]
   */
  tell(message, label, isRedo, actions = [], spoken = message) {
    const step = (isRedo ? this.undone : this.done).at(-1);
    this.app.toasts.show(message, { isStep: true, spoken, actions: [...actions, [label, () => this.run(isRedo, step)]] });
  }

  /** @param {boolean} isRedo @param {Step} [step] else the newest */
  run(isRedo = false, step = (isRedo ? this.undone : this.done).at(-1)) {
    const { app } = this;
    const [from, to] = isRedo ? [this.undone, this.done] : [this.done, this.undone];
    if (!step || !from.includes(step)) return;
    from.splice(from.indexOf(step), 1);
    to.push(step);
    const { targets, title, message } = step;
    const [froms, tos] = isRedo ? [step.before, step.after] : [step.after, step.before];
    const left = targets.map((target, index) => stays(app.model, target, froms[index], tos[index]));
    let isTurned = step.turn?.(isRedo) ?? false;
    for (const index of stepOrder(targets, tos)) {
      const [old, wanted] = [froms[index], tos[index]];
      if (app.model.idOf(targets[index].id) !== targets[index].id) continue;
      // A category that was made on the way stays where another task has it.
      if (index > 0 && !wanted.value && [...app.model.tasks.values()].some(({ categoryId }) => categoryId === targets[index].id)) continue;
      const intents = turn(app.model, targets[index], old, wanted, left[index]);
      // Words that were being typed go and come with the task.
      const also = old.value && wanted.value ? [] : wanted.value ? wanted.drafts : old.drafts.map(({ key }) => noDraft(key));
      if (intents.length > 0) app.engine.edit(intents, also);
      isTurned ||= intents.length > 0;
    }
    if (!isTurned) return app.toasts.show(text.leftAsIs(title), { isStep: true });
    const [target] = targets;
    const isThere = !target || valueOf(app.model, target) !== undefined;
    const actions = target?.type === "task" && isThere ? shown(app, target.id) : [];
    this.tell(isRedo ? message : isThere ? text.restored(title) : text.removed(title), isRedo ? text.undo : text.redo, !isRedo, actions);
  }
}

/**
 * The order in which several come to a state: each task after the one that it is to stand behind, and a category is there before its
 * tasks, and goes after them.
 * @param {Target[]} targets @param {Snapshot[]} wanted @returns {number[]} their places
 */
function stepOrder(targets, wanted) {
  const key = (/** @type {number} */ index) => {
    const { value } = wanted[index];
    return targets[index].type === "task" ? `1 ${value?.position ?? ""}` : value ? "0" : "2";
  };
  return [...targets.keys()].sort((a, b) => Number(key(a) > key(b)) - Number(key(a) < key(b)));
}
