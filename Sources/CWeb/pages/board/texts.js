// The texts of the page in the account's language, else the browser's, and the theme. Only that language is loaded.

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
    const shell = (await globalThis.caches?.keys())?.find((key) => key.startsWith("shell-"));
    if (shell && answer.ok) await (await caches.open(shell)).put(path, answer);
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
