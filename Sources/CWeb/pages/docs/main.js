// The documentation: the server's own description of the API, drawn as a page, with guides beside it.
import { $, el, fold, say } from "./dom.js";
import { here, loadGuides } from "./guides.js";
import { markdown, slug } from "./markdown.js";
import { section } from "./operation.js";
import { about } from "./schema.js";
import { load, operations, resolve, schemas } from "./spec.js";
import { search } from "./search.js";

const languageKey = "kanbase.docs.language";
const content = $("#content");
const choice = $("#language");
const language = () => choice.value;

async function start() {
  choice.value = localStorage.getItem(languageKey) ?? "curl";
  if (!choice.value) choice.value = "curl";
  choice.addEventListener("change", () => {
    localStorage.setItem(languageKey, choice.value);
    document.dispatchEvent(new Event("language"));
  });
  try {
    const [root, guides] = await Promise.all([load(), loadGuides()]);
    draw(root, guides);
  } catch (error) {
    content.replaceChildren(el("p", { class: "bad" }, `The description could not be read (${error.message}). Reload the page to try again.`));
    return;
  }
  addEventListener("hashchange", reveal);
  reveal();
  document.body.dataset.ready = "yes";
}

function draw(root, guides) {
  const calls = operations();
  const tags = root.tags.map((tag) => ({ ...tag, id: `tag-${slug(tag.name)}`, calls: calls.filter((call) => call.tag === tag.name) }))
    .filter((tag) => tag.calls.length > 0);
  const words = Object.entries(schemas()).filter(([, schema]) => schema.properties || schema.oneOf);

  content.replaceChildren(
    el("h1", {}, `${root.info.title} API`, " ", el("small", {}, root.info.version)),
    el("p", {}, "The server at ", el("code", {}, location.origin), " describes itself: ", el("a", { href: "/openapi.yaml" }, "openapi.yaml"),
      ", ", el("a", { href: "/openapi.json" }, "openapi.json"), ". ", el("kbd", {}, "/"), " searches."),
    el("section", { id: "introduction" }, ...markdown(root.info.description, { depth: 0, prefix: "introduction-", change: here })),
    ...guides.map((guide) => guide.section),
    ...tags.map((tag) => el("section", { id: tag.id, class: "tag" }, el("h2", {}, tag.name),
      ...markdown(tag.description ?? "", { depth: 3 }), ...tag.calls.map((call) => section(call, language)))),
    el("section", { id: "schemas" }, el("h2", {}, "Schemas"),
      ...words.map(([name, schema]) => fold(el("code", {}, name), () => about(schema), { id: `schema-${name}`, class: "schema" }))));

  const introduction = [...content.querySelectorAll("#introduction h2")].map((heading) => ({ id: heading.id, heading: heading.textContent }));
  contents([
    { title: "Introduction", id: "introduction", links: introduction.map(({ id, heading }) => [id, heading]) },
    "Guides",
    ...guides.map((guide) => ({ title: guide.title, id: guide.id, links: guide.headings.map(({ id, heading }) => [id, heading]) })),
    "Calls",
    ...tags.map((tag) => ({ title: tag.name, id: tag.id, links: tag.calls.map((call) => [call.id, call.summary ?? call.id, call.method]) })),
    "Reference",
    { title: "Schemas", id: "schemas", links: words.map(([name]) => [`schema-${name}`, name]) },
  ]);
  search([
    ...calls.map((call) => ({ title: `${call.method} ${call.path}`, detail: call.summary ?? "", href: `#${call.id}`,
      words: `${call.id} ${call.description ?? ""} ${call.parameters.map((parameter) => parameter.name).join(" ")}` })),
    ...introduction.map(({ id, heading }) => ({ title: heading, detail: "Introduction", href: `#${id}`, words: "" })),
    ...guides.flatMap((guide) => [{ title: guide.title, detail: "Guide", href: `#${guide.id}`, words: guide.text },
      ...guide.headings.map(({ id, heading }) => ({ title: heading, detail: `Guide: ${guide.title}`, href: `#${id}`, words: "" }))]),
    ...words.flatMap(([name, schema]) => [{ title: name, detail: "Schema", href: `#schema-${name}`, words: schema.description ?? "" },
      ...Object.entries(schema.properties ?? {}).map(([member, inner]) => ({ title: `${name}.${member}`, detail: "Member",
        href: `#schema-${name}`, words: resolve(inner).description ?? "" }))]),
  ]);
}

/** The list of contents: groups that unfold, and names of several groups. */
function contents(groups) {
  const group = ({ title, id, links }) => el("details", { "data-group": id },
    el("summary", {}, title),
    el("ul", {}, ...[[id, title], ...links].map(([target, text, method]) => el("li", {}, el("a", { href: `#${target}` },
      method && el("span", { class: `method ${method.toLowerCase()}` }, method), " ", text)))));
  $("#contents").replaceChildren(...groups.map((entry) => (typeof entry === "string" ? el("p", {}, entry) : group(entry))));
  const menu = $("#menu");
  const wide = matchMedia("(min-width: 60rem)");
  const fit = () => { menu.open = wide.matches; };
  wide.addEventListener("change", fit);
  fit();
  menu.addEventListener("click", (event) => { if (event.target.closest("a") && !wide.matches) menu.open = false; });
}

/** Goes to what the address names, unfolds it, and marks it in the list of contents. */
function reveal() {
  let id = location.hash.slice(1);
  // One that is not escaped as it should be is taken as it is.
  try { id = decodeURIComponent(id); } catch {}
  if (!id) return;
  const target = document.getElementById(id);
  if (!target) return say(`There is nothing named ${id} here.`);
  if (target instanceof HTMLDetailsElement) target.open = true;
  for (const link of document.querySelectorAll("#contents [aria-current]")) link.removeAttribute("aria-current");
  const link = $(`#contents a[href="#${CSS.escape(id)}"]`);
  link?.setAttribute("aria-current", "true");
  link?.closest("details[data-group]")?.setAttribute("open", "");
  target.scrollIntoView();
  if (!target.hasAttribute("tabindex")) target.setAttribute("tabindex", "-1");
  target.focus({ preventScroll: true });
}

start();
