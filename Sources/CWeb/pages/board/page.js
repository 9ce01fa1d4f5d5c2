// What all modules of the page share: its texts in the account's language, else the browser's, its theme, and making elements. Only
// that language is loaded; text is always set as text: nothing here takes HTML.

const languages = ["en", "ko", "ja"];

/** Set by theme.js, like the first language of the browser that the page has. */
export const language = document.documentElement.lang;
/** @type {Texts} */
export const text = (await import(`./texts-${language}.js`)).texts;

/** @param {string | null} locale the account's */
const known = (locale) => languages.find((name) => name === locale?.slice(0, 2).toLowerCase());

/**
 * The language of the account, else of the browser.
 * @param {string | null} locale
 */
export const languageOf = (locale) => known(locale) ?? document.documentElement.dataset.browser;

/**
 * Whether the texts of a language are there. The next page cannot wait until a service worker of that language is.
 * @param {string | undefined} name
 */
export async function fetchTexts(name) {
  const path = `/board/texts-${name}.js`;
  const aborter = new AbortController();
  setTimeout(() => aborter.abort(), 3000);
  try {
    const answer = await fetch(path, { signal: aborter.signal });
    const shells = (await globalThis.caches?.keys() ?? []).filter((key) => key.startsWith("shell-"));
    if (answer.ok) await Promise.all(shells.map(async (key) => (await caches.open(key)).put(path, answer.clone())));
    return answer.ok;
  } catch {
    // No connection. The next change tries it again.
    return false;
  }
}

/** @param {string} key @param {string | undefined} value nothing forgets it */
function keep(key, value) {
  if (value) localStorage.setItem(key, value);
  else localStorage.removeItem(key);
}

/**
 * Keeps the account's language for the next load of the page.
 * @param {string | null} locale
 */
export function keepLanguage(locale) {
  keep("kanbase.language", known(locale));
}

/** @param {unknown} theme `light`, `dark`, or what the system says */
export function chooseTheme(theme) {
  const next = theme === "light" || theme === "dark" ? theme : "";
  if (next === (localStorage.getItem("kanbase.theme") ?? "")) return;
  keep("kanbase.theme", next);
  document.documentElement.dataset.theme = next;
}

// While a word is composed, keys are for the input method. In Safari the Enter that ends it is only known by its number.
addEventListener("keydown", (event) => {
  if (!event.isComposing && event.keyCode !== 229) return;
  event.stopImmediatePropagation();
  if (event.key === "Enter") event.preventDefault();
}, true);

/** @param {string} selector @param {ParentNode} [root] @returns {any} the first element that matches, or null */
export function $(selector, root = document) {
  return root.querySelector(selector);
}

/**
 * Makes an element. `props` are properties, attributes, `class`, `data` and `style` (custom properties); null is left out. A button
 * submits no form unless it says so.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [props]
 * @param {...(Node | string | number | null | undefined | false)} children
 */
export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  if (element instanceof HTMLButtonElement) element.type = "button";
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (name === "class") element.className = value;
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "style") for (const [key, part] of Object.entries(value)) element.style.setProperty(key, String(part));
    else if (name in element && !name.includes("-") && name !== "list" && name !== "form") /** @type {any} */ (element)[name] = value;
    else element.setAttribute(name, String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

const shapes = {
  board: "M4 5h4v14H4zM10 5h4v9h-4zM16 5h4v6h-4z",
  today: "M5 5h14v15H5zM5 10h14M9 3v4M15 3v4",
  stats: "M5 19V11M12 19V5M19 19v-6",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  plus: "M12 5v14M5 12h14",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 12l5 5 9-10",
};

/** @param {keyof typeof shapes} name */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("icon");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", shapes[name]);
  svg.append(path);
  return svg;
}

/** @param {HTMLDialogElement} dialog removed once it is closed */
export function openDialog(dialog) {
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {Node | string} words */
export function quiet(words) {
  return el("p", { class: "quiet-words" }, words);
}

/** @param {string} title @param {any[]} content */
export function panel(title, ...content) {
  return el("section", { class: "panel" }, el("h2", {}, title), ...content);
}

/** @param {Record<string, any>} props @param {readonly (readonly [string, string])[]} options values and words */
export function select(props, options) {
  return el("select", props, ...options.map(([value, words]) => el("option", { value }, words)));
}

/** @param {string} label @param {HTMLElement} control @param {...Node} after */
export function field(label, control, ...after) {
  return el("div", { class: "field" }, el("label", {}, el("span", {}, label), control), ...after);
}

/**
 * Makes the rows of a place anew; the focus stays on what is about the same, or in its place.
 * @param {HTMLElement} place @param {() => void} fill
 */
export function refill(place, fill) {
  const buttons = () => [...place.querySelectorAll("button")];
  const focused = $(":focus", place);
  const index = buttons().indexOf(focused);
  fill();
  if (!focused || focused.isConnected) return;
  const left = buttons();
  (left.find(({ dataset: { of } }) => of && of === focused.dataset.of) ?? left[Math.min(index, left.length - 1)] ?? $("#main")).focus();
}

/**
 * Announces a text to screen readers, without moving the focus.
 * @param {string} message
 */
export function announce(message) {
  const region = $("#announcer");
  region.textContent = "";
  requestAnimationFrame(() => { region.textContent = message; });
}

/** @param {string} words in code points, as the server counts */
export function lengthOf(words) {
  return [...words].length;
}

/**
 * Says on the field that its text is too long. `maxlength` would count UTF-16 units.
 * @param {HTMLInputElement | HTMLTextAreaElement} control @param {number} limit
 */
export function limitLength(control, limit) {
  const check = () => {
    const count = lengthOf(control.value);
    control.setCustomValidity(count > limit ? text.tooLong(count, limit) : "");
  };
  control.addEventListener("input", check);
  check();
}
