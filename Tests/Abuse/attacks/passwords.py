"""Attacks on the hashing of passwords, which is slow on purpose."""

import json
import selectors

from stage import attack, credentials


def keep_asking(stage, connections, request):
    """Sends the next request on each connection as soon as the last one was answered. Counts answers by status."""
    answers = {}
    waiting = selectors.DefaultSelector()
    for number, connection in enumerate(connections):
        connection.sendall(request(number))
        waiting.register(connection, selectors.EVENT_READ, number)
    number = len(connections)
    while stage.goes_on():
        for key, _ in waiting.select(0.2):
            answer = key.fileobj.recv(65_536)
            if not answer:
                waiting.unregister(key.fileobj)
                continue
            status = int(answer[9:12])
            answers[status] = answers.get(status, 0) + 1
            number += 1
            key.fileobj.sendall(request(number))
    return answers


def post(stage, target, body):
    return stage.head("POST", target, Content_Type="application/json", Content_Length=len(body)) + body.encode()


@attack("Seventy connections from one address sign up all the time", seconds=5)
def sign_up_flood(stage):
    connections = [stage.connect("127.66.0.1") for _ in range(70)]
    stage.begin()
    return keep_asking(stage, connections, lambda number: post(
        stage, "/accounts", f'{{"email": "n{number}@flood.example", "password": "password {number}"}}'))


@attack("Seventy connections from one address log in all the time, with the right password", seconds=5)
def log_in_flood(stage):
    body = json.dumps(credentials("attacker0"))
    connections = [stage.connect("127.66.0.1") for _ in range(70)]
    stage.begin()
    return keep_asking(stage, connections, lambda number: post(stage, "/sessions", body))


@attack("Clients from forty addresses ask to log in, and leave before the answer", seconds=5)
def leaving_flood(stage):
    body = '{"email": "nobody@example.com", "password": "something"}'
    stage.begin()
    number = 0
    while stage.goes_on():
        number += 1
        connection = stage.connect(f"127.66.1.{number % 40 + 1}")
        connection.sendall(post(stage, "/sessions", body))
        connection.close()
    return f"{number} clients"
