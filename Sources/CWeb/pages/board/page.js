// What all modules of the page share: its texts in the account's language, else the browser's, its theme, and making elements. Only
// that language is loaded; text is always set as text: nothing here takes HTML.

const languages = ["en", "ko", "ja"];

const load = () => import(`./texts-${document.documentElement.lang}.js`);
/** @type {Texts} */
export const text = (await load().catch(() => {
  // Another language is better than an empty page.
  document.documentElement.lang = "en";
  return load();
})).texts;
/** Set by theme.js, like the first language of the browser that the page has. */
export const language = document.documentElement.lang;

/** @param {string | null} locale the account's */
const known = (locale) => languages.find((name) => name === locale?.slice(0, 2).toLowerCase());

/**
 * The language of the account, else of the browser.
 * @param {string | null} locale
 */
export const languageOf = (locale) => known(locale) ?? document.documentElement.dataset.browser;

/**
 * True if the service worker or a connection has the texts of a language.
 * @param {string | undefined} name
 */
export async function hasTexts(name) {
  const aborter = new AbortController();
  setTimeout(() => aborter.abort(), 3000);
  try {
    return (await fetch(`/board/texts-${name}.js`, { signal: aborter.signal })).ok;
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

/**
 * Keeps the files of this version for pages without a connection. Those of a newer one take over while no page is half loaded.
 * @param {Promise<unknown>} shown @param {() => Promise<unknown>} loadRest the files that the page has not asked for yet
 */
export async function keepFiles(shown, loadRest) {
  const registering = navigator.serviceWorker?.register("/worker.js").catch(() => undefined);
  await shown;
  // Right after the first paint. Hidden pages have no animation frames.
  await new Promise((resolve) => { document.hidden ? setTimeout(resolve, 50) : requestAnimationFrame(() => setTimeout(resolve)); });
  await loadRest().catch(() => {});
  dispatchEvent(new Event("complete"));
  const registration = await registering;
  if (!registration) return;
  const replace = () => navigator.locks?.request("kanbase.loading", { ifAvailable: true }, (lock) => { if (lock) registration.waiting?.postMessage("replace"); }).catch(() => {});
  const watch = () => registration.installing?.addEventListener("statechange", replace);
  watch();
  registration.addEventListener("updatefound", watch);
  // This page's own lock is free by then.
  setTimeout(replace);
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
  filter: "M4 7h16M7 12h10M10 17h4",
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
 * Rebuilds the rows of a place; the focus stays on what is about the same, or in its place.
 * @param {HTMLElement} place @param {() => void} fill
 */
export function refill(place, fill) {
  const buttons = () => /** @type {HTMLElement[]} */ ([...place.querySelectorAll("button, select")]);
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

/**
 * Makes it as high as its text, up to what its style allows.
 * @param {HTMLTextAreaElement} area
 */
export function grows(area) {
  area.classList.add("grows");
  if (CSS.supports("field-sizing", "content")) return;
  area.addEventListener("input", () => {
    area.style.setProperty("height", "auto");
    area.style.setProperty("height", `${area.scrollHeight + 2}px`);
  });
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
