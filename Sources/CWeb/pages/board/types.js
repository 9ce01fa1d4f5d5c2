// The shapes that the modules hand to one another. There is no code here.

/** @typedef {"todo" | "doing" | "done"} Status */
/**
 * @typedef {object} Task
 * @property {string} id
 * @property {string} title
 * @property {string} body
 * @property {Status} status
 * @property {string | null} categoryId
 * @property {string | null} dueDate
 * @property {string} position
 * @property {string} createdAt
 * @property {string} updatedAt
 * @property {string | null} completedAt
 * @property {number} revision  0 until the server has it
 */
/** @typedef {{id: string, name: string, color: string | null, emoji: string | null, image: string | null, revision: number}} Category */
/** @typedef {{id: string, title: string, date: string, repeats: "none" | "yearly", color: string | null, emoji: string | null, image: string | null, revision: number}} DDay */
/** @typedef {{timeZone: string | null, locale: string | null, custom: Record<string, any>, revision: number}} Settings */
/** @typedef {"task" | "category" | "dday" | "settings"} ResourceType */
/** @typedef {"create" | "patch" | "move" | "delete" | "restore"} Op */
/**
 * One edit as POST /sync takes it.
 * @typedef {{mutationId: string, type: ResourceType, op: Op, id: string, baseRevision?: number, value?: Record<string, any> | null}} Mutation
 */
/**
 * One edit in the outbox. `key` orders; `position` is where the page shows the task until the server has placed it.
 * @typedef {{key: string, mutation: Mutation, position?: string, at: string}} Entry
 */
/** @typedef {{member: string, base?: any, theirs: any, yours: any}} Conflict */
/**
 * What the server did not take as it was; shown until the person answered.
 * @typedef {object} Issue
 * @property {string} id
 * @property {"merged" | "refused"} kind
 * @property {ResourceType} type
 * @property {string} target
 * @property {string} title
 * @property {Op} op
 * @property {Record<string, any> | null} value  what the edit said
 * @property {Conflict[]} conflicts
 * @property {string} [detail]
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
export {};
