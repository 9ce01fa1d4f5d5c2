// Markdown as this project writes it: headings, paragraphs, lists, tables, code, emphasis and links.
import { code, el } from "./dom.js";

const inlines = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|<(https?:[^>\s]+)>|\[([^\]]+)\]\(([^)\s]+)\)/g;

/** The text of a line, with code, emphasis and links. `link` may change an address; null makes plain text of it. */
export function inline(text, link = (address) => address) {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(inlines)) {
    parts.push(text.slice(end, found.index));
    const [, mono, strong, soft, bare, name, address] = found;
    if (mono !== undefined) parts.push(el("code", {}, mono));
    else if (strong !== undefined) parts.push(el("strong", {}, ...inline(strong, link)));
    else if (soft !== undefined) parts.push(el("em", {}, ...inline(soft, link)));
    else {
      const target = link(bare ?? address);
      const shown = bare !== undefined ? [bare] : inline(name, link);
      parts.push(...(target && /^(https?:|\/|#)/.test(target) ? [el("a", { href: target }, ...shown)] : shown));
    }
    end = found.index + found[0].length;
  }
  return [...parts, text.slice(end)].filter((part) => part !== "");
}

export const slug = (text) => text.toLowerCase().replace(/[`*]/g, "").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");

/**
 * The elements of a text. `depth` is added to the level of its headings, `prefix` stands before their ids, and `change`
 * may rewrite code, as to the address of this server.
 */
export function markdown(text, { depth = 0, prefix = "", link, change = (block) => block } = {}) {
  const lines = text.replace(/\r/g, "").split("\n");
  const blocks = [];
  let at = 0;
  const until = (stops) => {
    const taken = [];
    while (at < lines.length && lines[at].trim() !== "" && !(taken.length > 0 && stops.test(lines[at]))) taken.push(lines[at++]);
    return taken;
  };
  while (at < lines.length) {
    const line = lines[at];
    const heading = line.match(/^(#{1,5}) (.*)$/);
    if (line.trim() === "") at += 1;
    else if (line.startsWith("```")) {
      const body = [];
      for (at += 1; at < lines.length && !lines[at].startsWith("```"); at += 1) body.push(lines[at]);
      at += 1;
      const shown = change(body.join("\n"));
      const typed = line === "```console" ? shown.split("\n").filter((each) => each.startsWith("$ ")).map((each) => each.slice(2)).join("\n") : shown;
      blocks.push(code(shown, "code", typed));
    } else if (heading) {
      const level = Math.min(6, heading[1].length + depth);
      const id = prefix + slug(heading[2]);
      blocks.push(el(`h${level}`, { id }, ...inline(heading[2], link)));
      at += 1;
    } else if (line.startsWith("|")) blocks.push(table(until(/^[^|]/), link));
    else if (/^ *([-*]|\d+\.) /.test(line)) blocks.push(list(until(/^(#|```|\|)/), link));
    else blocks.push(el("p", {}, ...inline(until(/^(#|```|\||[-*] )/).join(" "), link)));
  }
  return blocks;
}

function table(lines, link) {
  const cells = (line) => line.replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
  const [head, , ...rows] = lines.map(cells);
  return el("div", { class: "table", tabindex: "0" }, el("table", {},
    el("thead", {}, el("tr", {}, ...head.map((cell) => el("th", { scope: "col" }, ...inline(cell, link))))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((cell) => el("td", {}, ...inline(cell, link))))))));
}

function list(lines, link) {
  const items = [];
  for (const line of lines) {
    const start = line.match(/^ *(?:[-*]|\d+\.) (.*)$/);
    if (start) items.push(start[1]);
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  const tag = /^ *\d/.test(lines[0]) ? "ol" : "ul";
  return el(tag, {}, ...items.map((item) => el("li", {}, ...inline(item, link))));
}
