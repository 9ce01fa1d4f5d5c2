// The types of the modules of the library: a script, so that they are global. It is not a part of what is served.

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
 * are what it does beside what it says; see series.js. Edits of one `visit` of an editor are one as long as they wait.
 * @typedef {{key: string, mutation: Mutation, position?: string, at: string, visit?: string, own?: Partial<Task>, next?: {id: string, value: Partial<Task> | null}}} Entry
 */
/**
 * What the rules of a series need of the board. `zone` is the account's, `isTouched` is of unsent edits, `end` a
 * place that no task is behind.
 * @typedef {{at: string, zone: string, ends: boolean, find: (id: string) => Task | undefined, isTouched: (id: string) => boolean, wasRemoved: (id: string) => boolean, end: () => string}} Surroundings
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
 * @property {any} [restored]  what a restored server has instead
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

/**
 * An edit before it has its place in the outbox. `baseRevision` is the revision of the server's copy that the user saw.
 * @typedef {{type: ResourceType, op: Op, id: string, value?: any, position?: string, baseRevision?: number, visit?: string}} Intent
 */
/** @typedef {"loading" | "live" | "offline" | "loggedOut"} Phase */
/**
 * `full`: the account takes no more. `problem`: why the server does not take part.
 * @typedef {{phase: Phase, sending: boolean, full: boolean, problem: {status: number, code: string, message: string} | null}} State
 */
/**
 * Of a call. `key`: the same for every try of one intention. `raw`: the answer as a `Response`. `quiet`: 401 is an answer like
 * others.
 * @typedef {{body?: any, key?: string, seconds?: number, headers?: Record<string, string>, raw?: boolean, quiet?: boolean, signal?: AbortSignal}} CallOptions
 */
/** @typedef {{status?: Status, before?: string, after?: string, place?: "first" | "last", next?: string}} Where `next`: the task below, of a stand */
/** @typedef {{type: "task" | "category" | "dday", id: string}} Target */
/**
 * A task, a category or a D-day at one time; `where` is of a task.
 * @typedef {{value: any, where?: Where}} Stand
 */
/**
 * What settles an issue: edits, and what is answered with them.
 * @typedef {{intents: Intent[], answered: Change[]}} Settling
 */
/** @typedef {import("./engine.js").Engine} Engine */
/** @typedef {import("./connection.js").Connection} Connection */
/** @typedef {import("./views.js").Views} Views */
/** @typedef {import("./store.js").Store | import("./store.js").Keeper} Disk */
/** @typedef {import("../kanbase.js").Adapter} Adapter */
