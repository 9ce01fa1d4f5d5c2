// The address has the screen, the open task and the filter: `/?screen=trash`, `/?task=…`, `/?category=…`.

const names = /** @type {(keyof Route)[]} */ (["screen", "task", "of", "category", "due", "q", "sort"]);

export class Router {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    this.route = this.read();
    addEventListener("popstate", () => { this.route = this.read(); this.onChange(); });
  }

  /** @returns {Route} */
  read() {
    const query = new URLSearchParams(location.search);
    return /** @type {Route} */ (Object.fromEntries(names.map((name) => [name, query.get(name) || null])));
  }

  /** @param {Partial<Route>} change */
  address(change) {
    const next = { ...this.route, ...change };
    if ("screen" in change && !("of" in change)) next.of = null;
    const query = new URLSearchParams();
    for (const name of names) if (next[name]) query.set(name, /** @type {string} */ (next[name]));
    return `/${String(query) ? `?${query}` : ""}`;
  }

  /** @param {Partial<Route>} change @param {{replace?: boolean}} options */
  go(change, { replace = false } = {}) {
    const address = this.address(change);
    if (address === location.pathname + location.search) return;
    if (replace) history.replaceState(history.state, "", address);
    else history.pushState({ from: location.search }, "", address);
    this.route = this.read();
    this.onChange();
  }

  /**
   * Removes a name from the address, by going back if it came from there, so that Back does not open it again.
   * @param {keyof Route} name
   */
  leave(name) {
    if (!this.route[name]) return;
    const before = history.state?.from;
    if (before !== undefined && !new URLSearchParams(before).get(name)) {
      this.route = { ...this.route, [name]: null };
      history.back();
    } else this.go({ [name]: null }, { replace: true });
  }
}
