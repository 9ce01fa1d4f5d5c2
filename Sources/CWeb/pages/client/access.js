// Who is logged in: the session that this device keeps, for all tabs, or a token of the app. A device keeps the data of one account.
import { notKanbase, Problem } from "./connection.js";
import { kept, ownCount, stores } from "./mirror.js";

export class Access {
  /** @param {Engine} engine that has read its disk @param {string | null} token of the app, which keeps it */
  constructor(engine, token) {
    this.engine = engine;
    this.given = token;
    /** @type {Change[]} what the storage refused to remove */
    this.left = [];
    engine.admit = () => this.admit();
    engine.connection.ended = () => {
      engine.rest();
      engine.setState({ phase: "loggedOut", sending: false });
    };
  }

  /** @param {Change[]} changes in this tab, or in another */
  take(changes) {
    if (changes.some(({ store, key }) => store === "meta" && key === "session")) this.enter();
  }

  /** Begins to sync; not after a log-out. */
  enter() {
    const { connection, mirror } = this.engine;
    const session = mirror.meta.get("session");
    connection.token = this.given ?? session?.token ?? null;
    if (session === null && !this.given) return connection.ended();
    this.engine.setState({ phase: "loading", problem: null });
    this.engine.lead();
  }

  /** What is kept here may be of another account: the app gave another token, or the server has other data. */
  async admit() {
    const { connection, mirror, leading: { signal } } = this.engine;
    const account = accountOf(await connection.call("GET", "/account", { quiet: true, signal }));
    if (signal.aborted || JSON.stringify(mirror.meta.get("account")) === JSON.stringify(account)) return;
    await this.engine.commit([...this.leave(account.id, false).filter(({ key }) => key !== "session"), kept("account", account)]);
  }

  /** @param {import("../kanbase.js").LogIn} options */
  async logIn({ discard = false, ...body }) {
    const { engine } = this;
    const answer = await engine.connection.call("POST", "/sessions", { body, quiet: true, seconds: 30 });
    if (!answer?.token) throw notKanbase();
    const account = accountOf(answer.account);
    try {
      const changes = this.leave(account.id, discard);
      this.given = null;
      await engine.commit([...changes, kept("account", account), kept("session", { token: answer.token })]);
    } catch (problem) {
      await endSession(engine.connection, answer.token);
      throw problem;
    }
  }

  /** @param {import("../kanbase.js").SignUp} options */
  async signUp({ device, discard, ...body }) {
    const { email, password } = body;
    // Before there is an account.
    this.leave("", discard);
    await this.engine.connection.call("POST", "/accounts", { body, quiet: true, seconds: 30 });
    await this.logIn({ email, password, device, discard });
  }

  /** @param {{discard?: boolean}} options */
  async logOut({ discard = false }) {
    const { engine } = this;
    const { connection } = engine;
    this.spare(discard);
    const { token } = connection;
    this.given = null;
    // First here: an edit that is made while the server answers is nobody's, and stays. Without a token there is no log-in to wait for.
    const changes = [...this.left, ...this.everything(), kept("session", token || this.left.length > 0 ? null : undefined)];
    const writing = engine.commit(changes);
    if (token) await endSession(connection, token);
    this.left = await writing ? [] : changes;
    if (this.left.length > 0) throw new Problem(0, { code: "not_removed", detail: "The storage refused to remove the data. Try again." });
  }

  /**
   * What removes the data of another account. Edits of nobody become those of the account.
   * @param {string} id @param {boolean} [discard]
   */
  leave(id, discard) {
    const { mirror } = this.engine;
    const known = mirror.meta.get("account");
    if (!known || known.id === id) return [];
    this.spare(discard);
    return this.everything();
  }

  /** @param {boolean} [discard] gives up what is on this device alone; else it is refused */
  spare(discard) {
    const count = ownCount(this.engine.mirror);
    if (count > 0 && !discard) throw new Problem(409, { code: "unsent_edits", detail: `${count} edits or conflicts are on this device alone. Send or answer them with their account, or give them up with discard: true.` });
  }

  /** @returns {Change[]} what removes all that this device has */
  everything() {
    const { mirror } = this.engine;
    return stores.flatMap((store) => [...mirror[store].keys()].map((key) => ({ store, key, value: undefined })));
  }
}

/** @param {Connection} connection @param {string} token */
const endSession = (connection, token) => connection.call("DELETE", "/sessions/current", { headers: { Authorization: `Bearer ${token}` }, seconds: 5, quiet: true }).catch(() => {});

/** @param {any} account as the server shows it */
function accountOf(account) {
  if (!account?.id) throw notKanbase();
  const { id, email, displayName, image } = account;
  return { id, email, displayName, image };
}
