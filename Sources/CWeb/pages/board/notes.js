// Notes as they are read: links, emphasis, lists and check boxes of Markdown. Elements are made of text, and nothing is taken as HTML.
import { el } from "./page.js";

/** Words in Korean, Japanese and Chinese follow an address without a space. */
const inline = /(https?:\/\/[^\s<>"\u1100-\u11ff\u3000-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\u{20000}-\u{3ffff}]+)|\[([^\]\n]+)\]\((https?:\/\/(?:[^\s()]|\([^\s()]*\))+)\)|`([^`\n]+)`|\*\*(.+?)\*\*|~~(.+?)~~|(?<![\p{L}\p{N}])[*_](\S|\S.*?\S)[*_](?![\p{L}\p{N}])/gu;
const item = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[([ xX])\]\s+)?/;

/**
 * True if the words have marks or addresses.
 * @param {string} words
 */
export const isMarked = (words) => /https?:\/\/\S|^\s*(?:[-*+]|\d{1,3}[.)])\s+\S|^#{1,6}\s|\*\*\S|~~\S|`\S/m.test(words);

/** @param {string} href @param {string} words */
const link = (href, words) => el("a", { href, target: "_blank", rel: "noopener noreferrer" }, words);

/**
 * Without what ends the sentence that it is in, and without a bracket that begins before it.
 * @param {string} address @returns {string}
 */
function ownAddress(address) {
  const isInner = address.endsWith(")") && address.split("(").length >= address.split(")").length;
  return isInner || !/[.,;:!?'»”’)\]]$/u.test(address) ? address : ownAddress(address.slice(0, -1));
}

/** @param {string} words @returns {(Node | string)[]} */
function marked(words) {
  /** @type {(Node | string)[]} */
  const parts = [];
  let end = 0;
  for (const match of words.matchAll(inline)) {
    const [all, address, name, target, code, strong, gone, soft] = match;
    parts.push(words.slice(end, match.index));
    if (address) {
      const own = ownAddress(address);
      parts.push(link(own, own), address.slice(own.length));
    } else if (target) parts.push(link(target, name));
    else if (code) parts.push(el("code", {}, code));
    else if (strong) parts.push(el("strong", {}, ...marked(strong)));
    else if (gone) parts.push(el("s", {}, ...marked(gone)));
    else parts.push(el("em", {}, ...marked(soft)));
    end = (match.index ?? 0) + all.length;
  }
  return [...parts, words.slice(end)].filter((part) => part !== "");
}

/**
 * The notes with a check box ticked or not.
 * @param {string} words @param {number} number of the line @param {boolean} isDone
 */
export function ticked(words, number, isDone) {
  const lines = words.split("\n");
  lines[number] = lines[number].replace(/\[[ xX]\]/, isDone ? "[x]" : "[ ]");
  return lines.join("\n");
}

/**
 * @param {string} words with line breaks of one kind
 * @param {(line: number, isDone: boolean) => void} tick a check box
 * @returns {HTMLElement[]}
 */
export function readable(words, tick) {
  /** @type {HTMLElement[]} */
  const blocks = [];
  words.split("\n").forEach((line, number) => {
    const found = line.match(item);
    const last = blocks.at(-1);
    if (found) {
      const list = last instanceof HTMLUListElement ? last : el("ul", {});
      if (list !== last) blocks.push(list);
      const rest = marked(line.slice(found[0].length));
      if (found[1] === undefined) return list.append(el("li", {}, /\d/.test(found[0]) && `${found[0].trim()} `, ...rest));
      const box = el("input", { type: "checkbox", checked: found[1] !== " ", onchange: () => tick(number, box.checked) });
      return list.append(el("li", {}, el("label", { class: "check" }, box, el("span", {}, ...rest))));
    }
    const heading = line.match(/^#{1,6}\s+/);
    if (heading) return blocks.push(el("p", {}, el("strong", {}, ...marked(line.slice(heading[0].length)))));
    if (line.trim() === "") return blocks.push(el("p", { hidden: true }));
    // Lines that follow one another are one paragraph, broken as they were typed.
    if (last instanceof HTMLParagraphElement && last.dataset.text) return last.append(el("br"), ...marked(line));
    blocks.push(el("p", { data: { text: "1" } }, ...marked(line)));
  });
  return blocks.filter(({ hidden }) => !hidden);
}

/** Below the notes of the editor, when there is more to read in them than their letters. */
export class NotesView {
  /** @param {import("./editor.js").Editor} editor */
  constructor(editor) {
    this.editor = editor;
    this.element = el("div", { class: "readable", hidden: true });
    this.shown = "";
    // A box is no field of the form: what it changes are the notes.
    for (const name of ["input", "change"]) this.element.addEventListener(name, (event) => event.stopPropagation());
  }

  render() {
    const words = this.editor.controls.body.value;
    if (words === this.shown) return;
    this.shown = words;
    this.element.hidden = !isMarked(words);
    const focused = [...this.element.querySelectorAll("input")].findIndex((box) => box === document.activeElement);
    this.element.replaceChildren(...(this.element.hidden ? [] : readable(words, (line, isDone) => this.tick(line, isDone))));
    this.element.querySelectorAll("input")[focused]?.focus();
  }

  /** @param {number} line @param {boolean} isDone */
  tick(line, isDone) {
    const { body } = this.editor.controls;
    body.value = ticked(body.value, line, isDone);
    this.editor.save();
  }
}
