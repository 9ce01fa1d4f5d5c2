// Editing a title in place, on the card.
import { $, el, lengthOf, limitLength } from "./dom.js";
import { text } from "./texts.js";

/** @param {import("./app.js").App} app @param {string} id @param {HTMLElement} card */
export function rename(app, id, card) {
  const task = app.model.tasks.get(id);
  if (!task || $("textarea", card)) return;
  const open = $(".open", card);
  const key = `rename:${id}`;
  const draft = app.engine.mirror.draft.get(key);
  // What others change from now on is a conflict, and shown beside.
  const revision = draft?.revision ?? task.revision;
  // As a control has it.
  const before = task.title.replace(/\r\n?/g, "\n");
  const input = el("textarea", { class: "rename", rows: 1, value: draft?.fields.title ?? before, "aria-label": text.title, enterKeyHint: "done" });
  limitLength(input, 200, (count) => text.tooLong(count, 200));
  const fit = () => {
    input.style.setProperty("height", "auto");
    input.style.setProperty("height", `${input.scrollHeight + 2}px`);
  };
  let isOver = false;
  const finish = (/** @type {boolean} */ isSaved) => {
    if (isOver) return;
    const title = input.value.trim();
    if (isSaved && lengthOf(title) > 200) return void input.reportValidity();
    isOver = true;
    input.replaceWith(open);
    const done = { store: /** @type {const} */ ("draft"), key, value: undefined };
    if (isSaved && title && title !== before) app.engine.edit([{ type: "task", op: "patch", id, value: { title }, baseRevision: revision }], [done]);
    // Unsaved text returns with the next rename.
    else if (isSaved || input.value === before) app.engine.commit([done]);
    // Others may have renamed it in the meantime.
    open.textContent = app.model.tasks.get(id)?.title ?? "";
    open.focus();
  };
  input.addEventListener("input", () => {
    fit();
    app.engine.commit([{ store: "draft", key, value: { base: { title: task.title }, fields: { title: input.value }, revision, at: new Date().toISOString() } }]);
  });
  input.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.isComposing) return;
    event.stopPropagation();
    if (event.key === "Escape") finish(false);
    if (event.key === "Enter") { event.preventDefault(); finish(true); }
  });
  input.addEventListener("blur", () => finish(true));
  open.replaceWith(input);
  fit();
  input.focus();
  input.select();
}
