// Making elements. Text is always set as text: nothing here takes HTML.

/** An element with attributes (functions are listeners), and children that are elements or text. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const $ = (selector, root = document) => root.querySelector(selector);

/** Tells what happened, on the screen and to a screen reader. */
export function say(text) {
  const said = $("#said");
  said.textContent = text;
  clearTimeout(said.timer);
  said.timer = setTimeout(() => { said.textContent = ""; }, 4000);
}

/** A block of code with a button that copies it, or what of it one types. */
export function code(text, label = "code", typed = text) {
  const copy = el("button", { type: "button", class: "copy", "aria-label": `Copy ${label}`, click: async () => {
    try {
      await navigator.clipboard.writeText(typed);
      say("Copied.");
    } catch {
      say("The browser does not let this page copy. Select the text instead.");
    }
  } }, "Copy");
  return el("div", { class: "code" }, el("pre", { tabindex: "0" }, el("code", {}, text)), copy);
}

/** What unfolds, and is made when it is unfolded for the first time. */
export function fold(summary, make, attributes = {}) {
  const body = el("div", { class: "folded" });
  const details = el("details", { ...attributes, toggle: () => {
    if (details.open && !body.hasChildNodes()) body.append(...[make()].flat());
  } }, el("summary", {}, summary), body);
  return details;
}
