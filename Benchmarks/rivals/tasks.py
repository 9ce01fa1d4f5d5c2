"""A task server as one writes it with FastAPI and SQLite: a connection a thread, WAL, synchronous=FULL.

DATABASE names the file; `python tasks.py DOCUMENT` fills it. Served by `uvicorn tasks:app`.
"""

import datetime
import json
import os
import sqlite3
import sys
import threading
import uuid
from typing import Literal, Optional

from fastapi import FastAPI, HTTPException, Response
from pydantic import BaseModel, Field

MEMBERS = "id title body status categoryId dueDate position createdAt updatedAt completedAt revision".split()
COLUMNS = ", ".join(MEMBERS)
app = FastAPI()
threads = threading.local()


def database():
    if not hasattr(threads, "connection"):
        connection = sqlite3.connect(os.environ["DATABASE"], isolation_level=None, timeout=30)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        threads.connection = connection
    return threads.connection


def task(row):
    return dict(zip(MEMBERS, row))


class NewTask(BaseModel):
    title: str = Field(min_length=1, max_length=200)
    body: str = Field(default="", max_length=1000)
    status: Literal["todo", "doing", "done"] = "todo"
    dueDate: Optional[str] = None


class TaskPatch(BaseModel):
    title: Optional[str] = Field(default=None, min_length=1, max_length=200)


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")


@app.get("/tasks/{id}")
def show(id: str, response: Response):
    row = database().execute(f"SELECT {COLUMNS} FROM tasks WHERE id = ?", (id,)).fetchone()
    if row is None:
        raise HTTPException(404)
    response.headers["ETag"] = f'"{row[-1]}"'
    return task(row)


@app.get("/tasks")
def page(limit: int = 50, cursor: str = "|"):
    due, position = cursor.split("|", 1)
    rows = database().execute(
        f"SELECT {COLUMNS}, due FROM tasks WHERE (due, position) > (?, ?) ORDER BY due, position LIMIT ?",
        (due, position, limit)).fetchall()
    following = f"{rows[-1][-1]}|{task(rows[-1])['position']}" if len(rows) == limit else None
    return {"items": [task(row) for row in rows], "nextCursor": following}


@app.post("/tasks", status_code=201)
def create(new: NewTask, response: Response):
    connection = database()
    connection.execute("BEGIN IMMEDIATE")
    revision = connection.execute("UPDATE counter SET revision = revision + 1 RETURNING revision").fetchone()[0]
    created = now()
    row = (str(uuid.uuid4()), new.title, new.body, new.status, None, new.dueDate, f"a{revision:09d}", created, created,
           None, revision)
    connection.execute(f"INSERT INTO tasks ({COLUMNS}) VALUES ({', '.join('?' * len(row))})", row)
    connection.execute("COMMIT")
    response.headers["ETag"] = f'"{revision}"'
    response.headers["Location"] = f"/tasks/{row[0]}"
    return task(row)


@app.patch("/tasks/{id}")
def update(id: str, patch: TaskPatch):
    connection = database()
    connection.execute("BEGIN IMMEDIATE")
    revision = connection.execute("UPDATE counter SET revision = revision + 1 RETURNING revision").fetchone()[0]
    connection.execute(
        "UPDATE tasks SET title = coalesce(?, title), updatedAt = ?, revision = ? WHERE id = ?",
        (patch.title, now(), revision, id))
    row = connection.execute(f"SELECT {COLUMNS} FROM tasks WHERE id = ?", (id,)).fetchone()
    connection.execute("COMMIT")
    if row is None:
        raise HTTPException(404)
    return task(row)


@app.get("/changes")
def changes(since: int = 0, limit: int = 500):
    rows = database().execute(
        f"SELECT {COLUMNS} FROM tasks WHERE revision > ? ORDER BY revision LIMIT ?", (since, limit)).fetchall()
    values = [task(row) for row in rows]
    return {
        "changes": [{"revision": value["revision"], "type": "task", "id": value["id"], "deleted": False, "value": value}
                    for value in values],
        "cursor": str(values[-1]["revision"] if values else since), "hasMore": len(values) == limit}


def fill(document):
    connection = database()
    connection.executescript("""
        CREATE TABLE counter (revision INTEGER);
        CREATE TABLE tasks (
            id TEXT PRIMARY KEY, title TEXT, body TEXT, status TEXT, categoryId TEXT, dueDate TEXT, position TEXT,
            createdAt TEXT, updatedAt TEXT, completedAt TEXT, revision INTEGER,
            due TEXT GENERATED ALWAYS AS (coalesce(dueDate, '~')));
        CREATE INDEX by_due ON tasks (due, position);
        CREATE INDEX by_revision ON tasks (revision);
        BEGIN
    """)
    with open(document) as file:
        tasks = json.load(file)["tasks"]
    for revision, value in enumerate(tasks, start=1):
        value["revision"] = revision
    connection.executemany(
        f"INSERT INTO tasks ({COLUMNS}) VALUES ({', '.join(':' + name for name in MEMBERS)})", tasks)
    connection.execute("INSERT INTO counter VALUES (?)", (len(tasks),))
    connection.execute("COMMIT")


if __name__ == "__main__":
    fill(sys.argv[1])
