// Server responses on screens: the last one at once, also offline, then the new one.
import { call, Problem } from "./api.js";
import { el } from "./dom.js";
import { text } from "./texts.js";

/**
 * @param {App} app
 * @param {HTMLElement} place where it is shown
 * @param {string} path
 * @param {(answer: any) => (Node | string | null | undefined | false)[]} show
 * @param {string[]} [stores] shown anew when one of these changed
 * @returns {() => void} stops it
 */
export function showAnswer(app, place, path, show, stores = ["task", "category", "dday", "settings"]) {
  const kept = app.engine.mirror.answer.get(path);
  const fill = (/** @type {any} */ answer) => place.replaceChildren(.../** @type {any[]} */ (show(answer)).filter(Boolean));
  if (kept) fill(kept);
  else place.replaceChildren(el("p", { class: "quiet-words loading" }, text.loading));
  let timer = 0;
  let isOver = false;
  const load = async (/** @type {any} */ last = null) => {
    try {
      const answer = await call("GET", path);
      if (isOver) return;
      // Rendering the same again would clear the forms in it.
      if (!last || JSON.stringify(answer) !== JSON.stringify(last)) fill(answer);
      app.engine.commit([{ store: "answer", key: path, value: answer }]);
    } catch (problem) {
      if (!(problem instanceof Problem) || isOver) return;
      const words = problem.code === "unreachable" ? (kept ? text.lastKnown : text.needsConnection) : problem.message;
      if (!place.querySelector(".note")) place.prepend(el("p", { class: "note", role: "status" }, words));
      if (!kept) place.querySelector(".loading")?.remove();
    }
  };
  const later = () => { clearTimeout(timer); timer = setTimeout(load, 300); };
  const stop = app.watch((changed) => { if (stores.some((store) => changed.has(store))) later(); });
  load(kept);
  return () => { isOver = true; clearTimeout(timer); stop(); };
}

/** @param {string} words @param {...(Node | false | null)} after */
export function heading(words, ...after) {
  return el("div", { class: "heading" }, el("h1", {}, words), ...after);
}
