// Runs before the first paint: sets the user's theme, and starts to load the language.
"use strict";
// Where the browser refuses storage, it lasts as long as the page.
for (const name of /** @type {const} */ (["localStorage", "sessionStorage"])) {
  try {
    window[name].getItem("");
  } catch {
    const kept = new Map();
    /** @type {Pick<Storage, "getItem" | "setItem" | "removeItem" | "clear">} */
    const value = {
      getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => void kept.set(key, text), removeItem: (key) => void kept.delete(key), clear: () => kept.clear(),
    };
    Object.defineProperty(window, name, { value });
  }
}
{
  const root = document.documentElement;
  const names = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  root.dataset.theme = localStorage.getItem("kanbase.theme") ?? "";
  root.dataset.browser = names.find((name) => ["en", "ko", "ja"].includes(name)) ?? "en";
  root.lang = localStorage.getItem("kanbase.language") ?? root.dataset.browser;
  const link = document.createElement("link");
  link.rel = "modulepreload";
  link.href = `/board/texts-${root.lang}.js`;
  document.head.append(link);
}
