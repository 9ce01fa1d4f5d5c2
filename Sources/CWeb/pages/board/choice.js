// The choice of a category: one of those that are there, none, or a new one, which is never made by a typing error.
import { el, limitLength, text } from "./page.js";
import { isBlank } from "./words.js";

/** No name has it. */
const fresh = "\n";

export class CategoryChoice {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    /** What was chosen of those that are there: a new one without a name leaves it. */
    this.known = "";
    this.select = el("select", { name: "category", onchange: () => { this.value = this.select.value; this.focus(); } });
    this.line = el("input", { name: "newCategory", autocomplete: "off", placeholder: text.addCategory, "aria-label": text.addCategory });
    limitLength(this.line, 50);
    this.fill();
  }

  /** Others may have made or renamed one. */
  fill() {
    const { value } = this;
    const option = (/** @type {string} */ name, /** @type {string} */ words) => el("option", { value: name }, words);
    this.select.replaceChildren(option("", text.none),
      ...this.model.categoryList.map(({ name, emoji }) => option(name, emoji ? `${emoji} ${name}` : name)), option(fresh, `${text.addCategory}…`));
    // While a name is being typed, it may be one that is there.
    if (this.line === document.activeElement) this.select.value = fresh;
    else this.value = value;
  }

  /** Its name. */
  get value() {
    if (this.select.value !== fresh) return this.select.value;
    return isBlank(this.line.value) ? this.known : this.line.value;
  }

  set value(name) {
    const isKnown = [...this.select.options].some(({ value }) => value === name);
    this.select.value = isKnown ? name : fresh;
    this.line.hidden = this.select.value !== fresh;
    this.line.value = isKnown ? "" : name;
    if (this.line.hidden) this.known = name;
  }

  focus() {
    (this.line.hidden ? this.select : this.line).focus();
  }

  /** @param {Event} event */
  dispatchEvent(event) {
    return (this.line.hidden ? this.select : this.line).dispatchEvent(event);
  }
}
