// The edits of one visit of the editor, which are one step.
import { placeOf, snapshot } from "./actions.js";
import { isSame } from "../client/kanbase.js";
import { text } from "./page.js";

/**
 * An edit of the editor: all of one visit are one step, with the categories that it made.
 * @param {App} app @param {string} id @param {Intent[]} intents @param {Step} [step] what the visit did before
 * @returns {Step}
 */
export function editWithin(app, id, intents, step) {
  const target = /** @type {Target} */ ({ type: "task", id });
  const made = [...step?.targets.slice(1) ?? [], .../** @type {Target[]} */ (intents.filter(({ op }) => op === "create").map(({ type, id }) => ({ type, id })))];
  const was = snapshot(app, target);
  app.engine.edit(intents);
  const is = snapshot(app, target);
  const own = (/** @type {Snapshot} */ a, /** @type {Snapshot} */ b) => Object.fromEntries(Object.entries(a.value).filter(([name, value]) => !isSame(name, value, b.value[name])));
  const [[from], [to]] = step ? [step.before, step.after] : [[was], [was]];
  const first = own(from, to);
  // What others changed meanwhile is in both.
  return {
    targets: [target, ...made], title: was.value.title, message: "",
    before: [{ ...was, where: first.position ? from.where : was.where, value: { ...was.value, ...first } }, ...made.map(() => ({ value: undefined, drafts: [] }))],
    after: [{ ...is, value: { ...is.value, ...own(to, from), ...own(is, was) } }, ...made.map((category) => snapshot(app, category))],
  };
}

/** @param {App} app @param {Step} step of a visit of the editor that ends */
export function tellVisit(app, step) {
  const [[{ value: before }], [{ value: after }], [{ id }]] = [step.before, step.after, step.targets];
  if (Object.keys(after).every((name) => isSame(name, before[name], after[name]))) return;
  const isThere = app.model.tasks.has(id);
  step.message = isThere && before.status !== after.status ? placeOf(app, id) : text.changed(after.title);
  app.undo.push(step);
  app.undo.tell(step.message, text.undo, false);
}
