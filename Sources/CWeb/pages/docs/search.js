// Finds calls, members and guides by their words, from the keyboard too: `/` goes to the field.
import { $, el } from "./dom.js";

/** Entries are `{title, detail, href, words}`. */
export function search(entries) {
  const input = $("#search");
  const list = $("#found");
  const index = entries.map((entry) => ({ ...entry, text: `${entry.title} ${entry.detail} ${entry.words}`.toLowerCase() }));
  let chosen = 0;

  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const mark = () => {
    for (const [place, option] of [...list.children].entries()) option.setAttribute("aria-selected", String(place === chosen));
    const option = list.children[chosen];
    if (!option?.id) return;
    input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  };
  const go = (entry) => {
    close();
    input.blur();
    if (location.hash === entry.href) dispatchEvent(new HashChangeEvent("hashchange"));
    else location.hash = entry.href;
  };
  const find = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return close();
    const found = index.filter((entry) => words.every((word) => entry.text.includes(word)))
      .sort((a, b) => rank(b, words) - rank(a, words)).slice(0, 20);
    chosen = 0;
    list.replaceChildren(...(found.length ? found.map((entry, place) => el("li", {
      role: "option", id: `found-${place}`, mousedown: (event) => { event.preventDefault(); go(entry); },
    }, el("strong", {}, entry.title), " ", el("span", {}, entry.detail))) : [el("li", { class: "none" }, "Nothing has these words.")]));
    list.results = found;
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    if (found.length) mark();
  };

  input.addEventListener("input", find);
  input.addEventListener("focus", find);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const count = list.hidden ? 0 : (list.results?.length ?? 0);
    if (event.key === "Escape") {
      input.value = "";
      close();
    } else if (event.key === "Enter" && count) go(list.results[chosen]);
    else if (event.key === "ArrowDown" && count) chosen = (chosen + 1) % count;
    else if (event.key === "ArrowUp" && count) chosen = (chosen + count - 1) % count;
    else return;
    event.preventDefault();
    mark();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}

/** What has all the words in its title stands before what has them elsewhere. */
function rank(entry, words) {
  const title = entry.title.toLowerCase();
  return words.filter((word) => title.includes(word)).length * 2 + (words.some((word) => title.startsWith(word)) ? 1 : 0);
}
