// The types of all modules: a script, so that they are global. No page loads it.

/** @typedef {"todo" | "doing" | "done"} Status */
/**
 * @typedef {object} Task
 * @property {string} id
 * @property {string} title
 * @property {string} body
 * @property {Status} status
 * @property {string | null} categoryId
 * @property {string | null} dueDate
 * @property {Recurrence | null} [recurrence]
 * @property {string | null} [seriesId]  while it repeats, and afterwards
 * @property {number | null} [occurrence]  from 1 on
 * @property {string | null} [seriesStart]  the due date from which the rule counts
 * @property {string} position
 * @property {string} createdAt
 * @property {string} updatedAt
 * @property {string | null} completedAt
 * @property {string[] | null} reminders
 * @property {number} revision  0 until the server has it
 */
/**
 * How a task comes back. `rule` is an RRULE; `timeZone` null is the account's.
 * @typedef {{rule: string, from: "due" | "completion", timeZone: string | null}} Recurrence
 */
/**
 * An RRULE that was read; see recurrence.js. Monday is 0. `ordinal`, `position` and `count` are 0 where there is none.
 * @typedef {{frequency: "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY", interval: number, weekdays: {weekday: number, ordinal: number}[], monthDays: number[], months: number[], position: number, weekStart: number, skipsBackward: boolean, until: string | null, count: number}} Rule
 */
/**
 * What the words of a rule are made of; `lastDay` is `until`, written out.
 * @typedef {Rule & {days: {name: string, ordinal: number}[], isWorkdays: boolean, monthNames: string[], isAfter: boolean, lastDay: string | null}} RuleWords
 */
/** @typedef {{id: string, name: string, color: string | null, emoji: string | null, image: string | null, revision: number}} Category */
/** @typedef {{id: string, title: string, date: string, repeats: "none" | "yearly", color: string | null, emoji: string | null, image: string | null, revision: number}} DDay */
/** @typedef {{timeZone: string | null, locale: string | null, custom: Record<string, any>, allDayTime: string | null, digest: string | null, revision: number}} Settings */
/** @typedef {"task" | "category" | "dday" | "settings"} ResourceType */
/** @typedef {"create" | "put" | "patch" | "move" | "delete" | "restore" | "skip"} Op */
/**
 * One edit as POST /sync takes it.
 * @typedef {{mutationId: string, type: ResourceType, op: Op, id: string, at?: string, baseRevision?: number, value?: Record<string, any> | null}} Mutation
 */
/**
 * One edit in the outbox. `key` orders; `position` is where the page shows the task until the server has placed it. `own` and `next`
 * are what it does beside what it says; see series.js. `visit` is of the editor.
 * @typedef {{key: string, mutation: Mutation, position?: string, at: string, visit?: string, own?: Partial<Task>, next?: {id: string, value: Partial<Task> | null}}} Entry
 */
/**
 * What the rules of a series need of the board. `zone` is the account's, `isTouched` is of unsent edits, `end` a
 * place that no task is behind.
 * @typedef {{at: string, zone: string, find: (id: string) => Task | undefined, isTouched: (id: string) => boolean, wasRemoved: (id: string) => boolean, end: () => string}} Surroundings
 */
/** @typedef {{member: string, base?: any, theirs: any, yours: any}} Conflict */
/**
 * What the server did not take as it was; shown until the person answered.
 * @typedef {object} Issue
 * @property {string} id
 * @property {"merged" | "refused" | "lost"} kind  `lost`: the server has it no more, and `value` is the whole of it
 * @property {ResourceType} type
 * @property {string} target
 * @property {string} title
 * @property {Op} op
 * @property {Record<string, any> | null} value  what the edit said
 * @property {Conflict[]} conflicts
 * @property {any} [problem]  why the server refused it
 * @property {string} [code]
 * @property {string} at
 */
/** @typedef {{base: Record<string, any>, fields: Record<string, any>, revision: number, at: string}} Draft */
/**
 * Everything that the page keeps: a mirror of the stores in IndexedDB, each a map by key.
 * @typedef {{task: Map<string, Task>, category: Map<string, Category>, dday: Map<string, DDay>, settings: Map<string, Settings>, outbox: Map<string, Entry>, issue: Map<string, Issue>, draft: Map<string, Draft>, answer: Map<string, any>, meta: Map<string, any>}} Mirror
 */
/** @typedef {keyof Mirror} StoreName */
/**
 * A change of one key of one store; `value` undefined deletes it.
 * @typedef {{store: StoreName, key: string, value: any}} Change
 */

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./engine.js").Engine} Engine */
/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./store.js").Store} Store */
/** @typedef {typeof import("./texts-en.js").texts} Texts */
/**
 * An edit before it has its place in the outbox. `baseRevision` is the revision of the server's copy that the user saw.
 * @typedef {{type: ResourceType, op: Op, id: string, value?: any, position?: string, baseRevision?: number, visit?: string}} Intent
 */
/**
 * `full`: the account takes no more.
 * @typedef {{phase: "loading" | "live" | "offline", sending: boolean, full: boolean}} State
 */
/**
 * `token` null: nobody must log in.
 * @typedef {{id: string | null, account: string, token: string | null, email: string | null}} Session
 */
/**
 * Of a call. `key`: the same for every try of one intention. `raw`: the answer as a `Response`. `quiet`: 401 is an answer like
 * others.
 * @typedef {{body?: any, key?: string, seconds?: number, headers?: Record<string, string>, raw?: boolean, quiet?: boolean}} CallOptions
 */
/** @typedef {{categories: Set<string>, due: string, query: string, sort: string}} Filter */
/** @typedef {Record<"screen" | "task" | "of" | "category" | "due" | "q" | "sort", string | null>} Route */
/**
 * Shows a link or a token once.
 * @typedef {(hint: string, words: string) => void} Tell
 */
/** @typedef {(app: App, answer: Answer, again: () => void, tell: Tell) => any[]} ShowList */
/** @typedef {{status?: Status, before?: string, after?: string, place?: "first" | "last"}} Where */
/** @typedef {{type: "task" | "category" | "dday", id: string}} Target */
/** @typedef {{value: any, where?: Where, drafts: Change[]}} Snapshot */
/** @typedef {{targets: Target[], before: Snapshot[], after: Snapshot[], title: string, message: string}} Step */
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
