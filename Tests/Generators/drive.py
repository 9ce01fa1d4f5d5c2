"""Uses the generated Python client as an app would: every step that a generator is known to get wrong.

    drive.py ADDRESS

The server runs with `--auth required` and has no accounts yet.
"""

import sys
import uuid

import kanbase
from kanbase import ApiException, Mutation, Move, NewAccount, NewSession, NewTask, PasswordSession, SyncRequest, TaskEdit


def main(address):
    client = kanbase.ApiClient(kanbase.Configuration(host=address))
    access = kanbase.AccessApi(client)
    access.create_account(NewAccount(email="sun@example.com", password="a long password"))
    try:
        access.create_session(NewSession(PasswordSession(email="sun@example.com", password="a wrong password")))
        raise AssertionError("a wrong password logs in")
    except ApiException as problem:
        assert problem.status == 401, problem
    log_in = access.create_session(
        NewSession(PasswordSession(email="sun@example.com", password="a long password", device="drive.py")))
    assert log_in.account.display_name is None
    client.configuration.access_token = log_in.token

    tasks = kanbase.TasksApi(client)
    dated = tasks.create_task(NewTask(title="With a date", due_date="2026-12-01"))
    assert dated.due_date == "2026-12-01", dated
    timed = tasks.create_task(NewTask(title="With an instant", due_date="2026-12-01T18:00:00+09:00"))
    assert timed.due_date == "2026-12-01T09:00:00.000Z", timed
    plain = tasks.create_task(NewTask(title="우유"))
    assert plain.due_date is None and plain.category_id is None and plain.title == "우유", plain
    named = tasks.create_task(NewTask(title="In a category", category_name="장보기"))
    assert named.category_id is not None

    cleared = tasks.update_task(dated.id, TaskEdit(due_date=None))
    assert cleared.due_date is None and cleared.title == "With a date" and cleared.revision > dated.revision, cleared

    moved = tasks.move_task(plain.id, Move(status="doing", place="first"))
    assert moved.status == "doing" and moved.completed_at is None, moved

    seen, cursor = [], None
    while True:
        page = tasks.list_tasks(limit=2, cursor=cursor, sort="position", expand="deadline")
        seen += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len(seen) == 4 and len({task.id for task in seen}) == 4, seen
    assert [task.deadline is not None for task in seen].count(True) == 1, seen

    answer = tasks.show_task_with_http_info(timed.id)
    try:
        tasks.show_task(timed.id, if_none_match=answer.headers["ETag"])
        raise AssertionError("unchanged, and sent again")
    except ApiException as unchanged:
        assert unchanged.status == 304, unchanged
    try:
        tasks.update_task(timed.id, TaskEdit(title="Too late"), if_match='"1"')
        raise AssertionError("an old revision is taken")
    except ApiException as problem:
        assert problem.status == 412, problem

    settings = kanbase.SettingsApi(client)
    assert settings.show_settings().locale is None
    settings.update_settings(kanbase.SettingsPatch(locale="ko", custom={"accent": "#1e90ff"}))
    tasks.remove_task(named.id)

    sync = kanbase.SyncApi(client)
    start = sync.list_changes(limit=1000)
    kinds = {change.actual_instance.type for change in start.changes}
    assert kinds == {"task", "category", "settings"}, kinds
    milk = next(change.actual_instance for change in start.changes if change.actual_instance.id == plain.id)
    assert isinstance(milk, kanbase.TaskChange) and milk.value.status == "doing", milk

    # Somebody else edits the title; then this device sends an edit of the revision before.
    tasks.update_task(plain.id, TaskEdit(title="두유"))
    answer = sync.sync_changes(
        SyncRequest(
            since=start.cursor,
            mutations=[
                Mutation(
                    mutation_id=uuid.uuid4(), type="task", op="patch", id=str(plain.id), base_revision=moved.revision,
                    value={"title": "우유 두 팩"}, on_conflict="reject",
                ),
                Mutation(mutation_id=uuid.uuid4(), type="task", op="delete", id=str(timed.id)),
                Mutation(mutation_id=uuid.uuid4(), type="task", op="patch", id=str(dated.id), value={"title": " "}),
            ],
        )
    )
    conflict, removed, refused = answer.results
    assert conflict.status == "conflict" and conflict.value["title"] == "두유", conflict
    assert [(c.member, c.base, c.theirs, c.yours) for c in conflict.conflicts] == [("title", "우유", "두유", "우유 두 팩")]
    assert removed.status == "applied" and removed.value is None, removed
    assert refused.status == "rejected" and refused.problem.errors[0].pointer == "#/title", refused
    gone = [change.actual_instance for change in answer.changes if change.actual_instance.deleted]
    assert [change.id for change in gone] == [timed.id] and gone[0].value is None, gone

    # What the clock makes of the tasks, and an export that can be imported.
    overviews = kanbase.OverviewsApi(client)
    assert [column.count for column in overviews.show_board().columns] == [1, 1, 0]
    assert overviews.show_today().weather is None
    exported = kanbase.DataApi(client).export_data()
    report = kanbase.DataApi(client).import_data(
        kanbase.ImportDocument.from_dict(exported.to_dict()), mode="merge", dry_run=True
    )
    assert report.tasks.unchanged == len(exported.tasks), report

    access.remove_current_session()
    try:
        tasks.list_tasks()
        raise AssertionError("logged out, and still served")
    except ApiException as problem:
        assert problem.status == 401, problem


main(sys.argv[1])
print("    python: log-in, dates, pages, 304, changes and a conflict are as they should be.")
