// A schema as a table of its members, each of which unfolds.
import { el, fold } from "./dom.js";
import { inline, markdown } from "./markdown.js";
import { innerOf, limitsOf, resolve, typeOf } from "./spec.js";

/** The members of a schema. What it holds unfolds below them, down to any depth. */
export function members(schema) {
  const whole = resolve(schema);
  const choices = whole.oneOf ?? whole.anyOf;
  if (!whole.properties && choices) {
    return [el("p", {}, "One of these:"), ...choices.flatMap(unfolding)];
  }
  if (whole.items && !whole.properties) return [el("p", {}, typeOf(whole), "."), ...unfolding(whole.items)];
  if (!whole.properties) {
    const limits = limitsOf(whole);
    return [el("p", {}, typeOf(whole), limits ? ` · ${limits}` : "")];
  }
  const required = new Set(whole.required);
  const rows = Object.entries(whole.properties).map(([name, member]) => row(name, member, required.has(name)));
  return [el("dl", { class: "members" }, ...rows.flat())];
}

/** What a type holds, to be unfolded. */
export function unfolding(schema) {
  return innerOf(schema).map(({ name, schema: inner }) => fold(el("code", {}, name), () => about(inner)));
}

/** What is said about a schema, and its members. */
export function about(schema) {
  const whole = resolve(schema);
  return [...(whole.description ? markdown(whole.description, { depth: 3 }) : []), ...members(whole)];
}

function row(name, member, required) {
  const whole = resolve(member);
  const limits = limitsOf(member);
  return [
    el("dt", {}, el("code", {}, name), " ", el("span", { class: "type" }, typeOf(member)),
      required && el("span", { class: "required" }, "required")),
    el("dd", {}, ...(whole.description ? inline(whole.description.replaceAll("\n", " ")) : []),
      limits && el("div", { class: "limits" }, limits), ...unfolding(member)),
  ];
}
