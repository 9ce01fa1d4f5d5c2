// The other screens, by their names in the address. Each fills `main` and may return a clean-up function.
import { showAccount } from "./account.js";
import { showCategories } from "./categories.js";
import { showHistory, showTrash } from "./history.js";
import { showSettings } from "./settings.js";
import { showStats } from "./stats.js";
import { showToday } from "./today.js";

/** @typedef {(app: import("./app.js").App, main: HTMLElement) => (void | (() => void))} Screen */

export const all = {
  today: /** @type {Screen} */ (showToday), stats: /** @type {Screen} */ (showStats), trash: /** @type {Screen} */ (showTrash),
  history: /** @type {Screen} */ (showHistory), categories: /** @type {Screen} */ (showCategories),
  settings: /** @type {Screen} */ (showSettings), account: /** @type {Screen} */ (showAccount),
};
