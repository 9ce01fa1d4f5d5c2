// The other screens, by their names in the address. Each fills `main` and may return a clean-up function.
import { showAccount, showSettings } from "./account.js";
import { showCategories } from "./forms.js";
import { showHistory, showTrash } from "./history.js";
import { showStats, showToday } from "./today.js";

/** @type {Record<string, ShowScreen>} */
export const all = {
  today: showToday, stats: showStats, trash: showTrash, history: showHistory, categories: showCategories, settings: showSettings, account: showAccount,
};
