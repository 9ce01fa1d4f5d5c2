/** English. */
const n = (/** @type {number} */ count, /** @type {string} */ one, /** @type {string} */ many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
const nth = (/** @type {number} */ place) => {
  const count = Math.abs(place);
  const ending = count % 100 > 10 && count % 100 < 14 ? "th" : ["th", "st", "nd", "rd"][count % 10] ?? "th";
  return place === -1 ? "last" : place < 0 ? `${count}${ending} to last` : `${count}${ending}`;
};

export const texts = {
  // The board
  todo: "To do", doing: "Doing", done: "Done", task: "Task", category: "Category", dday: "D-day", settings: "Settings",
  title: "Title", notes: "Notes", column: "Column", dueDate: "Due date", dueTime: "Time", date: "Date", name: "Name", color: "Color", emoji: "Emoji",
  add: "Add", addHint: "Call mum tomorrow 3pm #family", oneTask: "One task", tooManyLines: (/** @type {number} */ count) => `${count.toLocaleString("en")} lines are too many to paste. At most 1,000 fit; for more, use the import in the settings.`, manyOrOne: (/** @type {number} */ count) => `${count} lines: ${count} tasks or one?`, leaveAsText: "Leave it as text (Esc)", addTo: (/** @type {string} */ column) => `Add to ${column}`,
  added: (/** @type {string} */ title) => `Added: ${title}`, addedHidden: (/** @type {string} */ title) => `Added, but the filter hides it: ${title}`,
  empty: { todo: "What comes first?", doing: "Drag a task here when you begin.", done: "Finished tasks rest here." },
  loading: "Loading…", nothingMatches: "Nothing matches.", clearFilter: "Show all", show: "Show", showMore: "Show more",
  edit: "Edit", rename: "Rename", remove: "Delete", undo: "Undo", redo: "Redo", changed: (/** @type {string} */ title) => `Changed: ${title}`, save: "Save", close: "Close", discard: "Discard",
  moreOf: (/** @type {string} */ title) => `More: ${title}`, moveTo: (/** @type {string} */ column) => `Move to ${column}`,
  moveFirst: "Move to the top", moveUp: "Move up", moveDown: "Move down", moveLast: "Move to the bottom",
  movedTo: (/** @type {string} */ title, /** @type {string} */ column, /** @type {number} */ place) => `${title}: ${column}, place ${place}`,
  removed: (/** @type {string} */ title) => `Deleted: ${title}`, markDone: (/** @type {string} */ title) => `Done: ${title}`, markUndone: (/** @type {string} */ title) => `Not done: ${title}`,
  today: "Today", tomorrow: "Tomorrow", nextWeek: "Next week", removeDate: "Remove the date", yesterday: "Yesterday", draft: "Draft", notSentYet: "Not sent yet",
  tryExamples: "Try it with three cards", examples: [["Tick the circle when something is done", "It goes to Done. Undo takes it back."], ["Drag me to Doing", "Or select me and press Shift and →."], ["Type “Call mum tomorrow 3pm #family” under +", "The line becomes a task with a date and a category. Enter adds it."]],
  clearDone: "Clear away", showArchive: (/** @type {number} */ count) => `Show ${count.toLocaleString("en")} older`, hideArchive: "Hide older ones", cleared: (/** @type {string} */ tasks) => `${tasks} cleared away; the search finds them`,
  picked: "Selected", pickedCount: (/** @type {number} */ count) => `${count.toLocaleString("en")} selected`, pick: "Select", unpick: "Clear the selection", movedAll: (/** @type {string} */ tasks, /** @type {string} */ column) => `${tasks}: moved to ${column}`, duplicate: "Duplicate", copyLink: "Copy link", openTab: "Open in a new tab",
  // Search, filter
  search: "Search", filter: "Filter", dueFilter: "Due", anyDue: "Any date", overdue: "Overdue", dueToday: "Due today", upcoming: "Upcoming", noDue: "No date",
  order: "Order", byHand: "My order", byDue: "By due date", byCreated: "Newest first", byUpdated: "Last changed first", byTitle: "By title", none: "Uncategorized", all: "All", isSorted: "The board is sorted. Choose “My order” to move tasks up and down.",
  // The editor
  draftRestored: "Your unsaved words are here again.", notSaved: (/** @type {string} */ fields) => `Not saved, since it is not valid: ${fields}`, draftKept: "Your words are kept as a draft.", continueEditing: "Go on",
  titleMissing: "A task needs a title.", tooLong: (/** @type {number} */ count, /** @type {number} */ limit) => `${count} characters; at most ${limit} fit.`,
  dateFilled: (/** @type {string} */ date) => `Date set to ${date}`,
  changedElsewhere: "Changed elsewhere meanwhile:", takeTheirs: "Take theirs", keepMine: "Keep mine", keepBoth: "Keep both", nothing: "(nothing)",
  deletedElsewhere: "This task was deleted elsewhere. Saving brings it back.", restoreAndSave: "Restore and save", noSuchTask: "There is no such task. Perhaps it is in the trash.",
  // Repeating
  repeat: "Repeat", noRepeat: "Never", ownRule: "Own rule…", afterDone: "After completion…", every: "Every", unit: "Unit", fromDone: "Counts from the day it is done", until: "Until", times: "Times",
  skipOnce: "Skip this time", skipped: (/** @type {string} */ title, /** @type {string} */ day) => `${title}: skipped to ${day}`,
  units: { DAILY: "days", WEEKLY: "weeks", MONTHLY: "months", YEARLY: "years" }, nextTimes: (/** @type {string} */ days) => `Then: ${days}`, lastTime: "This is the last time.",
  repeatWords: (/** @type {RuleWords} */ rule) => {
    const unit = { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year" }[rule.frequency];
    const isPlain = rule.isWorkdays && rule.position === 0 && rule.interval === 1 && rule.frequency !== "YEARLY";
    const isLoose = rule.isAfter && !rule.days.length && !rule.monthDays.length;
    const every = isLoose ? n(rule.interval, unit, `${unit}s`) : isPlain ? "every weekday" : rule.interval === 1 ? `every ${unit}` : rule.interval === 2 ? `every other ${unit}` : `every ${rule.interval} ${unit}s`;
    const names = rule.days.map(({ name, ordinal }) => (ordinal ? `the ${nth(ordinal)} ${name}` : name)).join(", ");
    const days = !names || isPlain ? "" : rule.position ? `the ${rule.position > 0 ? "first" : "last"} ${rule.isWorkdays ? "weekday" : `of ${names}`}` : names;
    const isDate = rule.frequency === "YEARLY" && rule.monthNames.length === 1 && rule.monthDays.length === 1 && rule.monthDays[0] > 0;
    const dates = isDate ? `${rule.monthNames[0]} ${rule.monthDays[0]}` : rule.monthDays.map((day) => `the ${day < 0 ? `${nth(day)} day` : nth(day)}`).join(", ");
    const on = [days, dates].filter(Boolean).join(", ");
    return `${every}${on && ` on ${on}`}${rule.monthNames.length && !isDate ? ` in ${rule.monthNames.join(", ")}` : ""}${rule.isAfter ? " after completion" : ""}${
      rule.lastDay ? `, until ${rule.lastDay}` : ""}${rule.count ? `, ${n(rule.count, "time", "times")}` : ""}`;
  },
  // Reminders
  reminders: "Reminders", byDefault: "By default", atTime: "At the time", noReminder: "None", before: (/** @type {string} */ time) => `${time} before`, ownReminder: "Own reminder…", beforeDue: "Before the due time", addBefore: "Add a reminder before the due time", atInstant: "At a fixed time", addInstant: "Add a reminder at a fixed time", reminderLimit: "At most 5 reminders fit, each at most 30 days before.", allDayHint: (/** @type {string} */ time) => `Counts from ${time}, the time for all-day tasks in the settings.`, reminderNeedsDate: "Without a due date only reminders at a fixed time come.",
  // Sync
  saved: "Saved", savedHere: "Saved on this device", savedDetail: "Everything is saved on the server.", sending: "Sending…", connecting: "Connecting…", offline: "Offline",
  unsent: (/** @type {number} */ count) => `${count} unsent`, offlineUnsent: (/** @type {number} */ count) => `Offline · ${count} unsent`,
  fullUnsent: (/** @type {number} */ count) => `Account full · ${count} unsent`,
  offlineDetail: "Changes are kept on this device and sent when the server answers.",
  issues: (/** @type {number} */ count) => n(count, "question", "questions"), toAnswer: "Please answer", toAnswerHint: "Nothing is lost: choose what shall stay.",
  bothChanged: "You and somebody else changed this at the same time. Yours is on the board now.", mine: "Mine", theirs: "Theirs",
  wasDeleted: "Somebody deleted this before your change arrived.", wasLost: "The server no longer has this, perhaps because it was restored from a backup. Send it again?", sendAgain: "Send again", wasRefused: "The server did not take this change.", tryAgain: "Try again",
  draftOfDeleted: "You were writing on this task when it was deleted elsewhere.", deletedCategory: "a deleted category",
  members: { body: "Notes", status: "Column", categoryId: "Category", image: "Picture", repeats: "Repeats", recurrence: "Repeat", locale: "Language", custom: "App settings", position: "Place" },
  diskFault: "This device can't save changes. Leave this page open until everything is sent.",
  // The frame
  navigation: "Screens", skip: "Skip to the content", more: "More", messages: "Messages", api: "API", logOut: "Log out", shortcuts: "Keyboard shortcuts",
  screens: { board: "Board", today: "Today", stats: "Statistics", categories: "Categories", trash: "Trash", history: "History", settings: "Settings", account: "Account" },
  // Today
  hello: "Your day", progress: (/** @type {number} */ done, /** @type {number} */ total) => `${done} of ${total} done`, noneOverdue: "Nothing is overdue.", noneToday: "Nothing is due today.",
  noneUpcoming: "Nothing is coming up.", ddays: "D-days", noDDays: "Count the days to an exam, a trip or an anniversary.", addDDay: "Add a D-day", editDDay: "D-day", yearly: "Every year",
  showWeather: "Show the weather here", noPlace: "The browser does not tell where you are.",
  sky: { clear: "Clear", mostly_clear: "Mostly clear", partly_cloudy: "Partly cloudy", cloudy: "Cloudy", fog: "Fog", drizzle: "Drizzle", freezing_rain: "Freezing rain", rain: "Rain", snow: "Snow", thunderstorm: "Thunderstorm" },
  weather: (/** @type {any} */ w) => `${Math.round(w.temperature)}° (${Math.round(w.low)}° to ${Math.round(w.high)}°)`,
  // Statistics
  donePercent: (/** @type {number} */ percent) => `${percent} % done`, completedByDay: "Completed in the last 30 days", byCategory: "By category",
  nothingDone: "Nothing was completed in the last 30 days.",
  chartWords: (/** @type {number} */ total, /** @type {number} */ most, /** @type {string} */ day) => `${n(total, "task", "tasks")} in 30 days, most on ${day}: ${most}`,
  // Trash, history
  trashHint: "Deleted tasks stay here for a while, then they are gone.", trashEmpty: "The trash is empty.", restore: "Restore",
  restoreOf: (/** @type {string} */ title) => `Restore ${title}`, restored: (/** @type {string} */ title) => `Restored: ${title}`, leftAsIs: (/** @type {string} */ title) => `${title}: left as it is, since it was changed elsewhere.`,
  historyOf: (/** @type {string} */ title) => `History: ${title}`, historyEmpty: "Nothing happened yet.", purged: "(a task that is gone)",
  actions: { created: "Created", updated: "Changed", moved: "Moved within the column", deleted: "Deleted", restored: "Restored" },
  movedFromTo: (/** @type {string} */ from, /** @type {string} */ to) => `Moved from ${from} to ${to}`, changedMembers: (/** @type {string} */ members) => `Changed: ${members}`,
  // Categories
  addCategory: "New category", noCategories: "Categories sort tasks by subject. Make the first one.", noColor: "No color", colors: ["Orange", "Amber", "Green", "Teal", "Blue", "Indigo", "Purple", "Red", "Gray"],
  nameMissing: "A category needs a name.", taskCount: (/** @type {number} */ count) => n(count, "task", "tasks"), oneEmoji: "One emoji fits.",
  deleteCategory: (/** @type {string} */ name, /** @type {number} */ count) => `Delete “${name}”? ${n(count, "task stays", "tasks stay")} without a category.`,
  // Settings, data
  language: "Language", browserLanguage: "As the browser", timeZone: "Time zone", browserZone: (/** @type {string} */ zone) => `As this device (${zone})`,
  theme: "Theme", systemTheme: "As the system", light: "Light", dark: "Dark", letterKeys: "Shortcuts of a single letter",
  digestTime: "Mail me what is due at", digestHint: "Once a day, to your confirmed address, only if something is due. Leave it empty for no mail.", allDayTime: "Time of reminders for all-day tasks", notifications: "Notifications", pushSwitch: "Remind me in this browser, also when the board is closed", pushHint: "The server sends each reminder at its time to the push service of the browser, encrypted.", pushInstall: "On iPhone and iPad, first add this page to the home screen (Share, then “Add to Home Screen”). Turn notifications on there.", pushUnsupported: "This browser takes no notifications for this page. They need a current browser, https, and no private window.", pushDenied: "The browser does not allow notifications of this page. Allow them in the browser's settings for this page.", pushFailed: "The push service of the browser cannot be reached, or the browser has none.", testPush: "Send a test", testSent: "A test notification is on its way.", calendar: "Calendar", calendarHint: "Calendar apps can subscribe to your tasks and D-days. Anybody who has the address can read them.", calendarOnce: "Copy the address now; it is shown only once:", copy: "Copy", copied: "Copied.", notCopied: "The browser did not copy it:", newAddress: "the new one", subscribe: "Open in the calendar app", madeAt: (/** @type {string} */ time) => `Made ${time}`, endAddress: (/** @type {string} */ time) => `End the address made ${time}`, noCalendar: "There is no address yet.", makeAddress: "Make an address",
  yourData: "Your data", dataHint: "Take everything with you, or bring in an export.", exportJSON: "Export (JSON)", exportCSV: "Tasks as CSV", importJSON: "Import…",
  format: "Format", importNow: "Import", reading: "Reading…", fileRefused: "The file cannot be read, or is larger than 64 MiB. The command kanbase import takes larger ones.", whichColumn: "Which column do these mean?", outcomes: ["New", "Changed", "As before", "Skipped"], allKinds: "With categories and D-days", importRefused: (/** @type {number} */ count) => `Nothing is imported: ${n(count, "place", "places")} of the file cannot be read.`, row: (/** @type {number} */ place) => `Row ${place}`, takeBack: "Take back", reallyTakeBack: "Remove what this import made? What was changed since stays.", takenBack: (/** @type {any} */ { removed, kept }) => `${removed} removed, ${kept} kept.`, imported: "The import is done.",
  needsConnection: "This needs a connection to the server.", lastKnown: "Not connected. This is what was last known.",
  // Log-in, account
  logIn: "Log in", signUp: "Sign up", forgot: "Send a code", reset: "Set a new password", email: "E-mail", password: "Password", newPassword: "New password (8 characters or more)",
  displayName: "Your name", invitation: "Invitation code, if you have one", code: "Code from the mail",
  to_logIn: "Log in", to_signUp: "Make an account", to_forgot: "Forgot your password?", to_reset: "I have a code",
  signInWith: (/** @type {string} */ name) => `Continue with ${name[0].toUpperCase()}${name.slice(1)}`, signInLost: "The sign-in did not come back to where it began. Please try again in this window.", signInCancelled: "The sign-in was cancelled.", signInRefused: (/** @type {string} */ code) => `The provider did not sign you in (${code}).`, linkRequired: (/** @type {string} */ name) => `There is an account with this address. Log in with its password once; then ${name} opens it, too.`,
  resetSent: "If there is an account with this address, a code is on its way.", passwordChanged: "The password is changed.", sessionEnded: "Your session has ended. Please log in again.",
  wrongLogin: "E-mail or password is wrong.", tooManyTries: (/** @type {number} */ seconds) => `Too many tries. Please wait ${n(seconds, "second", "seconds")}.`,
  keptHere: (/** @type {number} */ count) => `${n(count, "unsent change waits", "unsent changes wait")} on this device for the account that made them.`,
  otherKept: (/** @type {number} */ count) => `Another account has ${n(count, "unsent change", "unsent changes")} on this device. Erase them and log in?`,
  keptStays: "Not logged in. The unsent changes are still here.", loseOwn: (/** @type {number} */ count) => `${n(count, "change or draft is", "changes and drafts are")} on this device alone and will be lost. Log out?`,
  addPicture: "Add a picture…", changePicture: "Change the picture…", removePicture: "Remove the picture",
  problems: { payload_too_large: "This picture is too large: at most 1 MB fits.", unsupported_media_type: "This is no picture that the server knows. PNG, JPEG, WebP and HEIC are.", quota_exceeded: "The account is full. Deleted tasks count until they leave the trash. The server's operator can raise the limit.", signup_closed: "Nobody can sign up on this server. Ask who runs it.", invitation_required: "Signing up needs an invitation.", code_invalid: "This code is wrong, used or too old.", wrong_password: "The password is wrong.", email_taken: "There is an account with this address.", fresh_session_required: "Log out and in again with the provider. For the next 10 minutes, this works without a password.",
    recurrence_without_due: "What repeats needs a due date.", not_kanbase: "What answers at this address is no Kanbase. It may be the log-in page of a Wi-Fi.", too_many_requests: "Too many requests. Please try again in a moment.", insufficient_storage: "The server has no room left.", unavailable: "The server cannot answer right now.",
    unreachable: "The server cannot be reached.", name_taken: "Another category has this name.",
    token_invalid: "The provider's answer is not valid or too old. Please try again.", unknown_provider: "This server no longer knows the provider.", push_off: "This server does not notify browsers.", unknown_push_service: "The server does not know the push service of this browser. Ask who runs it.",
    account_disabled: "This account is disabled. Ask who runs the server.", account_locked: "This account is locked. A new password opens it.", invitation_used: "This invitation was used. Ask for another one.", last_way_in: "This is the last way to log in.", not_found: "This does not exist, or was deleted.", blank: "Empty.", required: "Missing.", too_long: "Too long.", too_short: "Too short.", invalid_format: "Not in the right form.", invalid_value: "No value that fits.", unknown_category: "There is no such category.", too_many: "No more of these fit." },
  noAccounts: "This server has no accounts: whoever reaches it uses the one board.", profile: "Profile", sessions: "Where you are logged in", tokens: "Tokens for apps and scripts", events: "What happened to the account",
  verify: "Confirm the address", usage: (/** @type {number} */ tasks, /** @type {number | null} */ most, /** @type {number} */ bytes, /** @type {number | null} */ room) => `${n(tasks, "task", "tasks")}${most ? ` of ${most.toLocaleString("en")}` : ""} · ${(bytes / 1048576).toFixed(1)} MiB${room ? ` of ${Math.round(room / 1048576)} MiB` : ""}`,
  changeName: "Change the name", changeEmail: "Change the e-mail address", changePassword: "Change the password",
  unknownDevice: "Unknown device", thisDevice: "this device", lastUsed: (/** @type {string} */ time) => `Last used ${time}`, end: "End", endSession: (/** @type {string} */ device) => `End the session of ${device}`, endOthers: "End all others",
  scope: "May", scopes: { read: "read only", full: "do everything", calendar: "calendar only" }, makeToken: "Make a token", tokenOnce: "Copy the token now; it is shown only once:", noTokens: "There are no tokens.", tokenYear: "Without the password it ends after a year.",
  removeOf: (/** @type {string} */ name) => `Delete ${name}`,
  eventKinds: { sign_up: "Signed up", log_in: "Logged in", log_in_failed: "A wrong password was entered", token_created: "A token was made", token_removed: "A token was deleted", password_changed: "The password was changed", password_reset: "The password was set anew", email_changed: "The address was changed", email_verified: "The address was confirmed", identity_linked: "Another way to log in was added", identity_removed: "A way to log in was removed", locked: "The account was locked", disabled: "The account was disabled", enabled: "The account was enabled" },
  invitations: "Invitations", invite: "Invite somebody", inviteWhom: "Only for this address (optional)", linkOnce: "Send this link to whom you invite; it is shown only once:", anybody: "Anybody", invitationUsed: "Used",
  goodUntil: (/** @type {string} */ time) => `Good until ${time}`, identities: "Ways to log in", passwordOnly: "The password only.",
  deleteAccount: "Delete the account", deleteAccountHint: "Everything is erased: tasks, categories, history. Nothing brings it back.", reallyDelete: "Really erase everything?",
  // Shortcuts
  keyAdd: "Add a task", keyEdit: "Edit the task", keyRename: "Rename it in place", keyMenu: "Menu of the task", keyGo: "Go to other tasks", keyMoveColumn: "Move to another column",
  keyPick: "Select, for several at once", keyMoveWithin: "Move up or down", keyDelete: "Delete the task", keySave: "Save in the editor", keyHelp: "This sheet",
};
