// The guides: pages of the project's documentation for people who write apps.
import { el } from "./dom.js";
import { markdown, slug } from "./markdown.js";

export const guides = ["sync", "concurrency", "time", "recurrence", "clients"];

/** Loads the guides; gives their sections, and what the list of contents and the search need to know of them. */
export async function loadGuides() {
  return Promise.all(guides.map(async (name) => {
    const answer = await fetch(`/docs/${name}.md`);
    if (!answer.ok) throw new Error(`/docs/${name}.md: ${answer.status}`);
    const text = await answer.text();
    const id = `guide-${name}`;
    const title = text.match(/^# (.*)$/m)?.[1] ?? name;
    const blocks = markdown(text.replace(/^# .*\n/, ""), { depth: 1, prefix: `${id}-`, link: linkFrom, change: here });
    const headings = [...text.replace(/^```.*?^```/gms, "").matchAll(/^## (.*)$/gm)].map(([, heading]) => ({ id: `${id}-${slug(heading)}`, heading }));
    const section = el("section", { id, class: "guide", "aria-labelledby": `${id}-name` }, el("h2", { id: `${id}-name` }, title), ...blocks);
    return { id, title, headings, section, text };
  }));
}

/** The address of this server in the place of the one that the documents have. */
export const here = (text) => text.replace(/(https?:\/\/)?(localhost|127\.0\.0\.1):8080/g, (whole, scheme) => (scheme ? location.origin : location.host));

function linkFrom(address) {
  const guide = address.match(/^(?:docs\/)?(\w+)\.md(?:#(.*))?$/);
  if (!guide) return address;
  if (!guides.includes(guide[1])) return null;
  return guide[2] ? `#guide-${guide[1]}-${guide[2]}` : `#guide-${guide[1]}`;
}
