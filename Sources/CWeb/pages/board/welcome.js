// What an empty board offers: three cards to try it with, as one step, so that one click takes them away again.
import { act } from "./actions.js";
import { between, uuid } from "../client/kanbase.js";
import { el, text } from "./page.js";

/** @param {App} app */
export function welcome(app) {
  return el("button", { class: "link", onclick: () => {
    /** @type {string | null} */
    let last = null;
    const tasks = text.examples.map(([title, body]) => {
      last = between(last, null);
      return /** @type {Intent} */ ({ type: "task", op: "create", id: uuid(), value: { title, body, status: "todo" }, position: last });
    });
    act(app, tasks.map(({ id }) => ({ type: "task", id })), tasks, { title: text.taskCount(tasks.length), say: () => text.added(text.taskCount(tasks.length)) });
    app.board?.show(tasks[0].id);
  } }, text.tryExamples);
}
