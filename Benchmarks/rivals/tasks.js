// A task server as one writes it with Node's own modules: everything in a map in memory, and, when LOG names a file, each
// write appended to it and synced before it is answered, all that wait together.
// node tasks.js PORT DOCUMENT [LOG]
'use strict';
const fs = require('fs');
const http = require('http');
const crypto = require('crypto');

const [port, documentPath, logPath] = process.argv.slice(2);
const tasks = new Map();
let revision = 0;
for (const task of JSON.parse(fs.readFileSync(documentPath)).tasks) {
    task.revision = ++revision;
    tasks.set(task.id, task);
}
const byDueDate = [...tasks.values()].sort((a, b) => {
    const [x, y] = [a.dueDate ?? '~', b.dueDate ?? '~'];
    return x < y ? -1 : x > y ? 1 : a.position < b.position ? -1 : 1;
});
const byRevision = [...tasks.values()];

const log = logPath ? fs.openSync(logPath, 'a') : null;
let waiting = [];
let isSyncing = false;

function commit(task, answer) {
    if (log === null) return answer();
    waiting.push({ line: JSON.stringify(task) + '\n', answer });
    if (!isSyncing) sync();
}

function sync() {
    const batch = waiting;
    waiting = [];
    isSyncing = true;
    fs.write(log, batch.map((entry) => entry.line).join(''), () => {
        fs.fdatasync(log, () => {
            for (const entry of batch) entry.answer();
            isSyncing = false;
            if (waiting.length > 0) sync();
        });
    });
}

function send(response, status, value, headers = {}) {
    const body = JSON.stringify(value);
    response.writeHead(status, {
        'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body),
        'Cache-Control': 'private, no-cache', ...headers,
    });
    response.end(body);
}

function readJSON(request, then) {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (part) => { text += part; });
    request.on('end', () => then(JSON.parse(text)));
}

function create(request, response) {
    readJSON(request, (body) => {
        if (typeof body.title !== 'string' || body.title.trim() === '') return send(response, 422, { code: 'blank' });
        const now = new Date().toISOString();
        const task = {
            id: crypto.randomUUID(), title: body.title, body: body.body ?? '', status: body.status ?? 'todo',
            categoryId: null, dueDate: body.dueDate ?? null, position: 'a' + (++revision).toString(36), createdAt: now,
            updatedAt: now, completedAt: null, revision,
        };
        tasks.set(task.id, task);
        byRevision.push(task);
        const tag = `"${task.revision}"`;
        commit(task, () => send(response, 201, task, { ETag: tag, Location: `/tasks/${task.id}` }));
    });
}

function update(request, response, id) {
    readJSON(request, (body) => {
        const task = tasks.get(id);
        if (!task) return send(response, 404, { code: 'not_found' });
        if (body.title !== undefined) task.title = body.title;
        task.updatedAt = new Date().toISOString();
        task.revision = ++revision;
        commit(task, () => send(response, 200, task, { ETag: `"${task.revision}"` }));
    });
}

function list(response, query) {
    const limit = Number(query.get('limit') ?? 50);
    const start = Number(query.get('cursor') ?? 0);
    const items = byDueDate.slice(start, start + limit);
    send(response, 200, { items, nextCursor: start + limit < byDueDate.length ? String(start + limit) : null });
}

function changes(response, query) {
    const limit = Number(query.get('limit') ?? 500);
    const since = Number(query.get('since') ?? 0);
    let [low, high] = [0, byRevision.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (byRevision[middle].revision > since) high = middle; else low = middle + 1;
    }
    const items = byRevision.slice(low, low + limit)
        .map((value) => ({ revision: value.revision, type: 'task', id: value.id, deleted: false, value }));
    send(response, 200, { changes: items, cursor: String(items.at(-1)?.revision ?? since), hasMore: false });
}

http.createServer((request, response) => {
    const { url, method } = request;
    if (url.startsWith('/tasks/')) {
        const id = url.slice(7);
        if (method === 'PATCH') return update(request, response, id);
        const task = tasks.get(id);
        return task ? send(response, 200, task, { ETag: `"${task.revision}"` }) : send(response, 404, { code: 'not_found' });
    }
    if (method === 'POST') return create(request, response);
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    return pathname === '/changes' ? changes(response, searchParams) : list(response, searchParams);
}).listen(Number(port), '127.0.0.1', () => console.log('ready'));
