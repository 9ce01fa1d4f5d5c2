// The types of the modules of the page, beside those of the library: a script, so that they are global. No page loads it.

/**
 * What the words of a rule are made of; `lastDay` is `until`, written out.
 * @typedef {Rule & {days: {name: string, ordinal: number}[], isWorkdays: boolean, monthNames: string[], isAfter: boolean, lastDay: string | null}} RuleWords
 */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./model.js").Model} Model */
/** @typedef {typeof import("./texts-en.js").texts} Texts */
/**
 * `token` null: nobody must log in.
 * @typedef {{id: string | null, account: string, token: string | null, email: string | null}} Session
 */
/** @typedef {{categories: Set<string>, due: string, query: string, sort: string}} Filter */
/** @typedef {Record<"screen" | "task" | "of" | "category" | "due" | "q" | "sort", string | null>} Route */
/**
 * Shows a link or a token once.
 * @typedef {(hint: string, words: string) => void} Tell
 */
/** @typedef {(app: App, answer: Answer, again: () => void, tell: Tell) => any[]} ShowList */
/** @typedef {Stand & {drafts: Change[]}} Snapshot */
/**
 * `turn` is of a step that changes no target: it goes back, or forward again, unless another device changed the same since.
 * @typedef {{targets: Target[], before: Snapshot[], after: Snapshot[], title: string, message: string, turn?: (isRedo: boolean) => boolean}} Step
 */
/**
 * `say`: what was done, once it is. `spoken`: to screen readers, where that is more. `actions`: what else is offered.
 * @typedef {{also?: Change[], title: string, say: () => string, spoken?: () => string | undefined, actions?: () => [string, () => void][]}} StepOptions
 */
/** @typedef {{section: HTMLElement, list: HTMLElement, count: HTMLElement, empty: HTMLElement, end: HTMLElement, shown: number, add: import("./add.js").AddForm, archive: import("./archive.js").Archive | null}} Column */
/** @typedef {{id: string, card: HTMLElement, x: number, y: number, dx: number, dy: number, pointer: number, ghost: HTMLElement | null, slot: HTMLElement, timer: number, edge: number}} Drag */
/**
 * Null is a line.
 * @typedef {{label: string, run: () => void, isDanger?: boolean, isDisabled?: boolean, hint?: string} | null} MenuItem
 */
/**
 * The values of the editor's fields.
 * @typedef {Record<"title" | "body" | "status" | "category" | "date" | "time" | "repeat" | "reminders", string>} Fields
 */
/**
 * What a line of quick add may say of a day or a time, and how it is read.
 * @typedef {[RegExp, (match: RegExpMatchArray, today: string) => string | null][]} Patterns
 */
/**
 * A file to import; `rules` say which columns are meant by its lists and statuses.
 * @typedef {{heading: HTMLElement, from: string, bytes: Blob, rules: Map<string, string>}} Chosen
 */
/** @typedef {"logIn" | "signUp" | "forgot" | "reset"} LoginMode */
/** @typedef {{provider: string, idToken: string, nonce: string}} Proof */
/**
 * What a provider answered: a proof, or why there is none.
 * @typedef {{proof?: Proof, fault?: string, invitation: string}} Returned
 */
/**
 * Fills `main`, and may return what stops it.
 * @typedef {(app: App, main: HTMLElement) => (void | (() => void))} ShowScreen
 */
/**
 * What the server answered; of a list, `items`.
 * @typedef {{items: any[], [member: string]: any}} Answer
 */
/**
 * The sheet of a category or a D-day.
 * @typedef {object} SheetParts
 * @property {"category" | "dday"} type
 * @property {any} before  null makes a new one
 * @property {Issue} [issue]  the refused edit that is edited again
 * @property {string} title
 * @property {any} initial
 * @property {(emoji: Node) => Node[]} content  around the field of the emoji
 * @property {() => Record<string, any>} values
 * @property {(value: any) => void} fill
 * @property {(value: any) => string} [check]  what is wrong with them
 */
