// Runs before the first paint: says that a page is being loaded, sets the user's theme, and starts to load the language.
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
// No newer version takes over until app.js has all files of this one.
navigator.locks?.request("kanbase.loading", { mode: "shared" }, () => new Promise((resolve) => { addEventListener("complete", resolve); })).catch(() => {});
{
  const root = document.documentElement;
  const languages = ["en", "ko", "ja"];
  const names = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  root.dataset.theme = localStorage.getItem("kanbase.theme") ?? "";
  root.dataset.browser = names.find((name) => languages.includes(name)) ?? "en";
  // Another version may have kept a language that this one has not.
  root.lang = languages.find((name) => name === localStorage.getItem("kanbase.language")) ?? root.dataset.browser;
  // Little height, as at 400 % zoom or on a phone on its side. A soft keyboard takes height, too, but only as long as a field has the
  // focus, and must not move the field.
  const fit = () => {
    if (!document.activeElement?.matches("input, textarea, select")) root.classList.toggle("low", innerHeight < 480);
  };
  fit();
  addEventListener("resize", fit);
  // The keyboard goes after the focus.
  addEventListener("focusout", () => setTimeout(fit, 400));
  const link = document.createElement("link");
  link.rel = "modulepreload";
  link.href = `/board/texts-${root.lang}.js`;
  document.head.append(link);
}
