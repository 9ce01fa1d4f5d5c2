// Uses the generated TypeScript client as an app would: every step that a generator is known to get wrong.
//
//     node drive.js ADDRESS
//
// The server runs with `--auth required` and has no accounts yet.
import * as kanbase from "../../.build/clients/typescript-fetch";

declare const process: { argv: string[]; exit(code: number): never };
declare function require(name: "crypto"): { randomUUID(): string };

const { randomUUID } = require("crypto");

function check(holds: boolean, what: unknown): void {
    if (!holds) {
        console.error("Not as it should be:", JSON.stringify(what), new Error().stack);
        process.exit(1);
    }
}

/** The status of an answer that is not 2xx; the client throws it, 304 included. */
async function refusal(request: () => Promise<unknown>): Promise<number | null> {
    try {
        await request();
        return null;
    } catch (error) {
        if (error instanceof kanbase.ResponseError) return error.response.status;
        throw error;
    }
}

async function main(basePath: string): Promise<void> {
    let token = "";
    const server = new kanbase.Configuration({ basePath, accessToken: async () => token });
    const access = new kanbase.AccessApi(server);
    await access.createAccount({ newAccount: { email: "sun@example.com", password: "a long password" } });
    token = (await access.createSession({ newSession: { email: "sun@example.com", password: "a long password" } })).token;

    const tasks = new kanbase.TasksApi(server);
    const dated = await tasks.createTask({ newTask: { title: "With a date", dueDate: "2026-12-01" } });
    check(dated.dueDate === "2026-12-01" && dated.categoryId === null, dated);
    const plain = await tasks.createTask({ newTask: { title: "우유" } });
    check(plain.dueDate === null && plain.createdAt instanceof Date, plain);
    const cleared = await tasks.updateTask({ id: dated.id, taskEdit: { dueDate: null } });
    check(cleared.dueDate === null && cleared.title === "With a date", cleared);
    const moved = await tasks.moveTask({ id: plain.id, move: { status: "doing", place: "first" } });
    check(moved.status === "doing", moved);

    const first = await tasks.listTasks({ limit: 1, sort: "position" });
    const second = await tasks.listTasks({ limit: 1, sort: "position", cursor: first.nextCursor! });
    check(first.items[0].id !== second.items[0].id && second.nextCursor === null, [first, second]);
    const tag = (await tasks.showTaskRaw({ id: plain.id })).raw.headers.get("ETag")!;
    check((await refusal(() => tasks.showTask({ id: plain.id, ifNoneMatch: tag }))) === 304, tag);

    const sync = new kanbase.SyncApi(server);
    const start = await sync.listChanges();
    const titles = start.changes.map((change) => (change.type === "task" ? change.value?.title : change.type));
    check(titles.includes("우유"), start);
    await tasks.updateTask({ id: plain.id, taskEdit: { title: "두유" } });
    const answer = await sync.syncChanges({
        syncRequest: {
            since: start.cursor,
            mutations: [
                {
                    mutationId: randomUUID(), type: "task", op: "patch", id: plain.id,
                    baseRevision: moved.revision, value: { title: "우유 두 팩" }, onConflict: "reject",
                },
                { mutationId: randomUUID(), type: "task", op: "delete", id: dated.id },
            ],
        },
    });
    check(answer.results.map((result) => result.status).join() === "conflict,applied", answer);
    check(answer.results[0].conflicts![0].theirs === "두유", answer);
    const gone = answer.changes.find((change) => change.deleted);
    check(gone?.type === "task" && gone.id === dated.id && gone.value === null, answer);

    await access.removeCurrentSession();
    check((await refusal(() => tasks.listTasks())) === 401, "logged out");
    console.log("    typescript-fetch: log-in, dates, pages, 304, changes and a conflict are as they should be.");
}

main(process.argv[2]);
