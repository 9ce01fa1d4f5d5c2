/**
 * A board of a Kanbase server in any app. It reads and writes this device at once, without a network, and keeps the device and the
 * server in step. docs/javascript-client.md tells how.
 */

/** Opens a board; it reads this device and waits for no network. Sync begins by itself. */
export function open(options: Options): Promise<Board>;

export interface Options {
  /** The address of the server, such as `https://kanbase.example.org`. */
  server: string | URL;
  /** Where the board is kept: `"indexeddb"`, the default of browsers, `"memory"`, the default elsewhere, or what the app gives. */
  storage?: "indexeddb" | "memory" | Adapter;
  /** A token that the app keeps. Without one, `logIn` gets one and keeps it in the storage. */
  token?: string | null;
  /** Names the database in IndexedDB; else the server does. Boards of several accounts at a time need several names. */
  name?: string;
}

/** Storage of an app. Keys are unique within a store, and values are JSON. */
export interface Adapter {
  /** Everything that was written; called once, before any `write`. */
  read(): Promise<Iterable<Entry>>;
  /**
   * Keeps all changes or, when it rejects, none. A change without a value deletes its key. The next call waits until this one has ended, and
   * a `read` after a crash gives what all writes up to one of them have made.
   */
  write(changes: readonly Entry[]): Promise<void>;
}

export interface Entry {
  store: string;
  key: string;
  value?: any;
}

/** A value that changes. It is frozen, and the same object until something in it changes. */
export interface Live<T> extends AsyncIterable<T> {
  /** The value now. */
  readonly value: T;
  /** Calls with the value at once, and with each new one; what it throws then goes to `reportError` or the console. The result ends it. */
  subscribe(run: (value: T) => void): () => void;
}

export class Board {
  private constructor();

  readonly status: Live<BoardStatus>;
  /** Null until the server has said whose data it has. */
  readonly account: Live<Account | null>;
  /** What the server did not take as it was, until `answer` settles it. */
  readonly conflicts: Live<readonly Conflict[]>;

  tasks(query?: TaskQuery): Live<readonly Task[]>;
  categories(): Live<readonly Category[]>;
  ddays(): Live<readonly DDay[]>;
  settings(): Live<Settings>;
  task(id: string): Task | undefined;

  // Edits show at once, in every live value; the promise resolves when they are in the storage.

  create(fields: TaskFields & Place & { id?: string }): Promise<Task>;
  edit(id: string, fields: TaskFields): Promise<void>;
  /** To the end of its column, or of another, unless a place is given. */
  move(id: string, where: Place & { status?: Status }): Promise<void>;
  /** To the end of the finished ones. The result is the task that follows one that repeats. */
  complete(id: string): Promise<Task | null>;
  /** To the next date of a task that repeats, without completing it. */
  skip(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Brings back a task that was deleted on this device, or that `trash` has listed. */
  restore(id: string): Promise<void>;
  /**
   * What the server has in the trash, newest first: tasks unless a type is given. Rejects if the server cannot be reached. The server
   * ends what is in it after some days; no call does.
   */
  trash(wanted?: { type?: "task"; cursor?: string | null }): Promise<Trash<Task>>;
  trash(wanted: { type: "category"; cursor?: string | null }): Promise<Trash<Category>>;
  trash(wanted: { type: "dday"; cursor?: string | null }): Promise<Trash<DDay>>;
  trash(wanted: { type: "task" | "category" | "dday"; cursor?: string | null }): Promise<Trash<Task | Category | DDay>>;

  createCategory(fields: CategoryFields & { id?: string }): Promise<Category>;
  editCategory(id: string, fields: CategoryFields): Promise<void>;
  removeCategory(id: string): Promise<void>;
  restoreCategory(id: string): Promise<void>;
  createDDay(fields: DDayFields & { id?: string }): Promise<DDay>;
  editDDay(id: string, fields: DDayFields): Promise<void>;
  removeDDay(id: string): Promise<void>;
  restoreDDay(id: string): Promise<void>;
  editSettings(fields: SettingsFields): Promise<void>;

  // Pictures of categories and D-days. Sending and removing one needs the server.

  /** A PNG, JPEG, WebP or HEIC of at most 1 MiB. The result is its id, for `image`; the server removes one that nothing names. */
  addImage(bytes: Blob): Promise<string>;
  /** From the device once it was read or sent, else from the server. A storage of the app keeps none. */
  image(id: string): Promise<Blob>;
  /** For good. What has it has none then. */
  removeImage(id: string): Promise<void>;

  /**
   * Takes back the last step of this board, as a new edit; what somebody else changed since stays. False if there was no step, or
   * nothing of it is left to take back.
   */
  undo(): Promise<boolean>;
  redo(): Promise<boolean>;

  /** `mine`: what the user wrote holds, is tried again, or comes back. `theirs`: what the server has holds. No step of `undo`. */
  answer(id: string, choice: "mine" | "theirs"): Promise<void>;

  /** Resolves when the server has all edits, and this device what the server had. Rejects if the server cannot be reached or answers with a problem. */
  sync(): Promise<void>;
  /** Resolves when all is in the storage; nothing is sent any more. */
  close(): Promise<void>;

  logIn(options: LogIn): Promise<void>;
  signUp(options: SignUp): Promise<void>;
  /** Removes the account's data from this device and ends the session, or leaves it to expire if the server cannot be reached. */
  logOut(options?: { discard?: boolean }): Promise<void>;
}

export interface BoardStatus {
  /** `offline`: the server is not reached, and tried again. `loggedOut`: it wants a log-in; edits wait. */
  readonly phase: "loading" | "live" | "offline" | "loggedOut";
  /** Edits that the server does not have yet. */
  readonly pending: number;
  readonly sending: boolean;
  /** The account has no room for some of them. */
  readonly full: boolean;
  /** False: nothing survives the end of the page or the process. */
  readonly isKept: boolean;
  /** Why the server does not take part. */
  readonly problem: { readonly status: number; readonly code: string; readonly message: string } | null;
}

export interface Account {
  readonly id: string;
  readonly email: string | null;
  readonly displayName: string | null;
  readonly image: string | null;
}

export interface Conflict {
  readonly id: string;
  /** `merged`: both changed a member, and the user's holds. `refused`: the server did not take it. `lost`: the server has it no more. */
  readonly kind: "merged" | "refused" | "lost";
  readonly type: "task" | "category" | "dday" | "settings";
  /** The id of what it is about. */
  readonly target: string;
  readonly title: string;
  readonly message: string;
  readonly code?: string;
  /** What the user's edit said. */
  readonly value: Readonly<Record<string, any>> | null;
  /** The members that both changed; those of the settings' `custom` by key, as `custom.theme`. */
  readonly conflicts: readonly { readonly member: string; readonly base?: any; readonly theirs: any; readonly yours: any }[];
  readonly at: string;
}

export type Status = "todo" | "doing" | "done";

export interface TaskQuery {
  status?: Status;
  /** The id of a category; null for tasks without one. */
  category?: string | null;
  /** Default: `position`, the order of the board. */
  sort?: "position" | "dueDate" | "title" | "-createdAt" | "-updatedAt";
  /** Words that a task has, in any order; see the search of the API. */
  query?: string;
}

/** In a column: before or after a task, or at an end. */
export interface Place {
  before?: string;
  after?: string;
  place?: "first" | "last";
}

export interface TaskFields {
  title?: string;
  body?: string;
  status?: Status;
  categoryId?: string | null;
  /** `2026-12-01`, a day, or `2026-12-01T09:00:00Z`, an instant. */
  dueDate?: string | null;
  /** `rule` is an RRULE, such as `FREQ=WEEKLY;BYDAY=MO`. */
  recurrence?: { rule: string; from?: "due" | "completion"; timeZone?: string | null } | null;
  reminders?: readonly string[] | null;
}

export interface Task {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly status: Status;
  readonly categoryId: string | null;
  readonly dueDate: string | null;
  readonly recurrence?: { readonly rule: string; readonly from: "due" | "completion"; readonly timeZone: string | null } | null;
  readonly seriesId?: string | null;
  readonly occurrence?: number | null;
  readonly reminders: readonly string[] | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly completedAt: string | null;
  /** 0 until the server has it. */
  readonly revision: number;
}

/** A page of the trash; `nextCursor` is for the next one. */
export interface Trash<T> {
  readonly items: readonly (T & { readonly deletedAt: string })[];
  readonly nextCursor: string | null;
}

export interface CategoryFields {
  name?: string;
  color?: string | null;
  emoji?: string | null;
  /** The id of a picture, instead of the emoji. */
  image?: string | null;
}

export interface Category {
  readonly id: string;
  readonly name: string;
  readonly color: string | null;
  readonly emoji: string | null;
  readonly image: string | null;
  readonly revision: number;
}

export interface DDayFields {
  title?: string;
  /** `2026-12-01` */
  date?: string;
  repeats?: "none" | "yearly";
  color?: string | null;
  emoji?: string | null;
  image?: string | null;
}

export interface DDay {
  readonly id: string;
  readonly title: string;
  readonly date: string;
  readonly repeats: "none" | "yearly";
  readonly color: string | null;
  readonly emoji: string | null;
  readonly image: string | null;
  readonly revision: number;
}

export interface SettingsFields {
  timeZone?: string | null;
  locale?: string | null;
  /** Merged: a member that is null goes. */
  custom?: Record<string, any>;
  allDayTime?: string | null;
  digest?: string | null;
}

export interface Settings {
  readonly timeZone: string | null;
  readonly locale: string | null;
  readonly custom: Readonly<Record<string, any>>;
  readonly allDayTime: string | null;
  readonly digest: string | null;
  readonly revision: number;
}

/** With a password, or with an ID token of a provider. */
export type LogIn = ({ email: string; password: string } | { provider: string; idToken: string; nonce?: string }) & {
  /** The name of the session. */
  device?: string;
  /** Gives up what another account has on this device alone; else such a log-in is refused. */
  discard?: boolean;
};

export interface SignUp {
  email: string;
  password: string;
  displayName?: string;
  invitation?: string;
  device?: string;
  discard?: boolean;
}

/** Why a call failed. `message` tells a person what to do. */
export class Problem extends Error {
  constructor(status: number, document?: any, retryAfter?: number);
  /** Of HTTP; 0 if the server was not reached. */
  readonly status: number;
  /** Of the server's problem, or `unreachable`, `not_kanbase`, `invalid_address`, `not_found`, `already_exists`, `unsent_edits`, `not_removed`, `closed`. */
  readonly code: string;
  /** The problem of the server (RFC 9457), with the members that are at fault in `errors`. */
  readonly document?: any;
  /** Seconds. */
  readonly retryAfter?: number;
  /** Makes the messages; an app may put its own languages here. */
  static words: (document: any, status: number) => string;
}

/** A new id, for `create({ id })`. */
export function uuid(): string;
