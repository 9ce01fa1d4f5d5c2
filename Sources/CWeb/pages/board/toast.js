// Short messages at the bottom. Each disappears after a time; one with an action stays longer, and as long as it has the
// pointer or the focus.
import { el, icon } from "./dom.js";
import { text } from "./texts.js";

export class Toasts {
  constructor() {
    this.element = el("div", { class: "toasts", role: "region", "aria-label": text.messages });
  }

  /**
   * @param {string} message
   * @param {{action?: string, run?: () => void, isFault?: boolean}} options
   */
  show(message, { action, run, isFault = false } = {}) {
    const toast = el("div", { class: `toast ${isFault ? "fault" : ""}`, role: "status" }, el("span", {}, message));
    let timer = 0;
    const close = () => { clearTimeout(timer); toast.remove(); };
    const begin = () => { timer = setTimeout(close, action || isFault ? 10000 : 4500); };
    if (action && run) toast.append(el("button", { type: "button", class: "link", onclick: () => { close(); run(); } }, action));
    toast.append(el("button", { type: "button", class: "quiet square", "aria-label": text.close, onclick: close }, icon("close")));
    for (const name of ["pointerenter", "focusin"]) toast.addEventListener(name, () => clearTimeout(timer));
    for (const name of ["pointerleave", "focusout"]) toast.addEventListener(name, begin);
    this.element.append(toast);
    while (this.element.children.length > 3) this.element.firstElementChild?.remove();
    begin();
  }
}
