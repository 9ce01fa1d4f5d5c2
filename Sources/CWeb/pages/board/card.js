// A card. Its element is made once and updated in place.
import { el, icon } from "./dom.js";
import { describeDue } from "./dates.js";
import { picture } from "./images.js";
import { text } from "./texts.js";

/** @param {string} id */
export function makeCard(id) {
  const open = el("button", { type: "button", class: "open", tabIndex: -1 });
  const menu = el("button", { type: "button", class: "more", tabIndex: -1, "aria-haspopup": "menu" }, icon("more"));
  return el("li", { class: "card", data: { id } }, open, el("p", { class: "body" }), el("p", { class: "pills" }), menu);
}

/**
 * The inputs of each card. A changed task is a new object, so comparing is cheap.
 * @type {WeakMap<HTMLElement, any[]>}
 */
const shown = new WeakMap();

/**
 * @param {HTMLElement} card
 * @param {Task} task
 * @param {Model} model
 * @param {boolean} hasDraft
 * @param {string} day today, for the marks of due dates
 */
export function showCard(card, task, model, hasDraft, day) {
  const category = task.categoryId ? model.categories.get(task.categoryId) : undefined;
  const isUnsent = model.unsent.has(task.id);
  const { zone } = model;
  const now = [task, category, isUnsent, hasDraft, day, zone];
  const before = shown.get(card);
  if (before && now.every((part, index) => part === before[index])) return;
  shown.set(card, now);
  card.dataset.status = task.status;
  const [open, body, pills, menu] = /** @type {HTMLElement[]} */ ([...card.children]);
  open.textContent = task.title;
  body.textContent = task.body;
  body.hidden = task.body === "";
  pills.replaceChildren(...pillsOf(task, category, zone, isUnsent, hasDraft));
  pills.hidden = !pills.firstChild;
  menu.setAttribute("aria-label", text.moreOf(task.title));
}

/**
 * @param {Task} task
 * @param {Category | undefined} category
 * @param {string} zone
 * @param {boolean} isUnsent
 * @param {boolean} hasDraft
 */
function pillsOf(task, category, zone, isUnsent, hasDraft) {
  const pills = [];
  if (category) pills.push(categoryPill(category));
  if (task.dueDate) {
    const due = describeDue(task.dueDate, zone);
    const isMarked = task.status !== "done";
    pills.push(el("time", { class: `pill due ${isMarked ? due.urgency : ""}`, dateTime: task.dueDate }, due.label,
      isMarked && due.days !== 0 && el("span", { class: "dday" }, due.dDay)));
  }
  if (hasDraft) pills.push(el("span", { class: "pill draft" }, text.draft));
  if (isUnsent) pills.push(el("span", { class: "pill unsent", title: text.notSentYet }, "↑", el("span", { class: "hidden" }, text.notSentYet)));
  return pills;
}

/** @param {{name: string, color: string | null, emoji: string | null, image?: string | null}} category */
export function categoryPill({ name, color, emoji, image }) {
  return el("span", { class: "pill category", style: { "--tint": color ?? "var(--muted)" } }, image && picture(image), emoji && !image ? `${emoji} ${name}` : name);
}
