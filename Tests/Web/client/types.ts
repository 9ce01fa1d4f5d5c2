// Compiled only: what an app may write, that the library is as it is declared, and what the types refuse.
import * as library from "../../../Sources/CWeb/pages/client/kanbase.js";
import type * as declared from "../../../Sources/CWeb/pages/kanbase";

/** The modules fit their description: what they take and give, call by call. */
type Public<T> = { [Name in keyof T]: T[Name] };
export const isOpened: (options: declared.Options) => Promise<Public<declared.Board>> = library.open;
export const isId: typeof declared.uuid = library.uuid;
export const isProblem: Public<declared.Problem> = new library.Problem(404, { code: "not_found" }, 1);

export async function app(open: typeof declared.open, Problem: typeof declared.Problem): Promise<string> {
  const entries = new Map<string, declared.Entry>();
  const storage: declared.Adapter = {
    read: async () => entries.values(),
    write: async (changes) => { for (const change of changes) entries.set(`${change.store} ${change.key}`, change); },
  };
  const board = await open({ server: "https://kanbase.example.org", storage });
  const stop: () => void = board.tasks({ status: "todo", category: null, sort: "-createdAt" }).subscribe((tasks) => {
    // @ts-expect-error What is shown is read-only.
    tasks.push(tasks[0]);
    // @ts-expect-error The same.
    tasks[0].title = "Tea";
  });
  const task: declared.Task = await board.create({ title: "Milk", dueDate: null, recurrence: { rule: "FREQ=DAILY" }, place: "first" });
  // @ts-expect-error There is no such column.
  await board.move(task.id, { status: "later" });
  const next: declared.Task | null = await board.complete(task.id);
  await board.edit(task.id, { reminders: ["PT0S"] }).catch((problem: unknown) => {
    if (problem instanceof Problem) return problem.code;
    throw problem;
  });
  const { items, nextCursor } = await board.trash({ type: "category" });
  await board.trash({ type: items.length > 0 ? "category" : "dday", cursor: nextCursor });
  await board.restoreCategory(items[0].id);
  // @ts-expect-error A category has a name.
  items[0].title.trim();
  await board.editCategory(items[0].id, { image: await board.addImage(await board.image("a picture")) });
  for (const conflict of board.conflicts.value) await board.answer(conflict.id, "theirs");
  await board.logIn({ email: "sun@example.org", password: "correct horse", discard: true });
  await board.logIn({ provider: "apple", idToken: "…" });
  // @ts-expect-error A password is missing.
  await board.logIn({ email: "sun@example.org" });
  for await (const { name } of board.categories().value) return name;
  stop();
  return next?.title ?? board.account.value?.email ?? board.settings().value.timeZone ?? board.status.value.phase;
}
