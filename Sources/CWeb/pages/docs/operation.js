// One call: what it does, what it takes, what it answers, examples, and a form that makes it.
import { code, el, fold } from "./dom.js";
import { languages, request } from "./examples.js";
import { inline, markdown } from "./markdown.js";
import { about, unfolding } from "./schema.js";
import { bodySample, limitsOf, resolve, typeOf } from "./spec.js";
import { form } from "./tryit.js";

/** The section of a call. `language()` is the one that the reader has chosen for examples. */
export function section(operation, language) {
  const example = el("div", { class: "example" });
  const show = () => example.replaceChildren(code(languages[language()](request(operation)), `the call in ${language()}`));
  show();
  document.addEventListener("language", show);
  return el("section", { id: operation.id, class: "operation", "aria-labelledby": `${operation.id}-name` },
    el("h3", { id: `${operation.id}-name` }, operation.summary ?? operation.id, el("a", { href: `#${operation.id}`, class: "anchor",
      "aria-label": `Address of ${operation.id}` }, "#")),
    el("p", { class: "line" }, el("span", { class: `method ${operation.method.toLowerCase()}` }, operation.method), " ",
      el("code", { class: "path" }, operation.path), " ", el("span", { class: "id" }, operation.id)),
    ...markdown(operation.description ?? "", { depth: 3 }),
    example,
    ...parameters(operation), ...body(operation), ...answers(operation),
    fold("Try it", () => form(operation), { class: "try" }));
}

function parameters(operation) {
  if (operation.parameters.length === 0) return [];
  const rows = operation.parameters.flatMap((parameter) => {
    const limits = limitsOf(parameter.schema);
    return [
      el("dt", {}, el("code", {}, parameter.name), " ",
        el("span", { class: "type" }, `${parameter.in}, ${typeOf(parameter.schema)}`),
        parameter.required && el("span", { class: "required" }, "required")),
      el("dd", {}, ...inline((parameter.description ?? "").replaceAll("\n", " ")),
        limits && el("div", { class: "limits" }, limits)),
    ];
  });
  return [fold(`Parameters (${operation.parameters.length})`, () => el("dl", { class: "members" }, ...rows))];
}

function body(operation) {
  if (operation.bodyTypes.length === 0) return [];
  const names = operation.bodyTypes.map(([name]) => name).join(", ");
  const [first] = operation.bodyTypes;
  const example = operation.bodyTypes.find(([, media]) => media.example !== undefined || media.examples) ?? first;
  return [fold(`Body (${names})`, () => [
    ...(/json$/.test(first[0]) ? [code(JSON.stringify(bodySample(example), null, 2), "the body")] : []),
    ...about(first[1].schema),
  ])];
}

function answers(operation) {
  const rows = Object.entries(operation.responses).flatMap(([status, reference]) => {
    const response = resolve(reference);
    const types = Object.entries(response.content ?? {});
    return [
      el("dt", {}, el("code", {}, status === "default" ? "else" : status), " ",
        el("span", { class: "type" }, types.map(([name, media]) => `${name}: ${typeOf(media.schema)}`).join(", "))),
      el("dd", {}, ...inline((response.description ?? "").replaceAll("\n", " ")),
        ...types.slice(0, 1).flatMap(([, media]) => unfolding(media.schema)), ...fields(response)),
    ];
  });
  return [fold("Answers", () => el("dl", { class: "members" }, ...rows))];
}

function fields(response) {
  const names = Object.keys(response.headers ?? {});
  return names.length === 0 ? [] : [el("div", { class: "limits" }, `Header fields: ${names.join(", ")}`)];
}
