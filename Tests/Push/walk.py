#!/usr/bin/env python3
"""A server with stand-ins for a browser's push service (HTTPS) and for Apple's (HTTP/2), over sockets.

    Tests/Push/walk.py .build/debug/kanbase

Needs openssl and Python's cryptography. Each check prints a line; the exit code is the number of those that failed.
"""
import base64, http.server, json, os, re, socket, ssl, struct, subprocess, sys, tempfile, threading, time, urllib.request
from datetime import datetime, timedelta, timezone

from cryptography.hazmat.primitives import hashes, hmac, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

failures = 0


def check(what, holds):
    global failures
    print(("ok    " if holds else "FAIL  ") + what, flush=True)
    failures += not holds


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def mac(key, data):
    h = hmac.HMAC(key, hashes.SHA256())
    h.update(data)
    return h.finalize()


def point(key):
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


class Browser:
    """A subscription, which decrypts as RFC 8291 says."""

    def __init__(self):
        self.key, self.secret = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)

    def decrypt(self, body):
        salt, sender, sealed = body[:16], body[21:86], body[86:]
        shared = self.key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender))
        own = point(self.key.public_key())
        extracted = mac(salt, mac(mac(self.secret, shared), b"WebPush: info\0" + own + sender + b"\1"))
        key = mac(extracted, b"Content-Encoding: aes128gcm\0\1")[:16]
        nonce = mac(extracted, b"Content-Encoding: nonce\0\1")[:12]
        text = AESGCM(key).decrypt(nonce, sealed, None)
        assert text[-1] == 2
        return json.loads(text[:-1])


class PushService(http.server.BaseHTTPRequestHandler):
    taken, status = [], 201

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        PushService.taken.append((dict(self.headers), self.path, body))
        self.send_response(PushService.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def apple(listener, seen):
    """HTTP/2 with prior knowledge (RFC 9113), as far as one request needs it: takes any, answers 200."""

    def frame(kind, flags, stream, data=b""):
        return struct.pack(">I", len(data))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + data

    def serve(connection):
        file = connection.makefile("rb")
        if file.read(24) != b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":
            seen.append(None)
            return connection.close()
        connection.sendall(frame(4, 0, 0))
        body = b""
        while head := file.read(9):
            length, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
            stream, data = int.from_bytes(head[5:], "big"), file.read(length)
            if kind == 4 and not flags & 1:
                connection.sendall(frame(4, 1, 0))
            if kind == 0:
                body += data
            if kind in (0, 1) and flags & 1:
                seen.append(json.loads(body))
                # `:status: 200` of the static table (RFC 7541).
                connection.sendall(frame(1, 0x4 | 0x1, stream, b"\x88"))
        connection.close()

    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()


def main():
    program = os.path.abspath(sys.argv[1])
    room = tempfile.mkdtemp()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", f"{room}/key", "-out", f"{room}/ca"],
        check=True, stderr=subprocess.DEVNULL)
    subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-out", f"{room}/p8"],
                   check=True, stderr=subprocess.DEVNULL)
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), PushService)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{room}/ca", f"{room}/key")
    service.socket = context.wrap_socket(service.socket, server_side=True)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    listener, apples = socket.create_server(("127.0.0.1", 0)), []
    threading.Thread(target=apple, args=(listener, apples), daemon=True).start()
    place = f"localhost:{service.server_port}"

    log = open(f"{room}/log", "w")

    def start():
        server = subprocess.Popen(
            [program, "serve", "--port", "0", "--data", f"{room}/data", "--public-url", "https://kanbase.example.org",
             "--web-push-service", place, "--push-ca", f"{room}/ca", "--apns-key", f"{room}/p8", "--apns-key-id", "KEY1234567",
             "--apns-team", "TEAM123456", "--apns-topic", "com.example.board",
             "--apns-url", f"http://127.0.0.1:{listener.getsockname()[1]}"],
            stdout=subprocess.PIPE, stderr=log, text=True)
        return server, server.stdout.readline().split()[-1]

    server, url = start()

    def call(method, path, body=None):
        request = urllib.request.Request(url + path, method=method, data=None if body is None else json.dumps(body).encode())
        if body is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null")

    def until(holds):
        for _ in range(200):
            if holds():
                return True
            time.sleep(0.1)
        return False

    browser, phone = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
    features = call("GET", "/health/ready")[1]["features"]
    check("the features name reminders and push", {"reminders", "push"} <= set(features))
    ways = call("GET", "/push")[1]
    public = unb64(ways["webPush"]["publicKey"])
    check("the ways are told", ways["apns"] == {"topics": ["com.example.board"]} and len(public) == 65)
    owner = Browser()
    keys = {"p256dh": b64(point(owner.key.public_key())), "auth": b64(owner.secret)}

    def subscription(endpoint):
        return {"kind": "webpush", "subscription": {"endpoint": endpoint, "keys": keys}}

    check("an endpoint elsewhere is refused",
          call("PUT", f"/devices/{browser}", subscription("https://localhost:1/x"))[1]["code"] == "unknown_push_service")
    check("a browser registers", call("PUT", f"/devices/{browser}", subscription(f"https://{place}/send/secret"))[0] == 201)
    check("a phone registers", call("PUT", f"/devices/{phone}", {
        "kind": "apns", "token": "ab" * 32, "topic": "com.example.board", "locale": "ko"})[0] == 201)
    check("a test is taken", call("POST", f"/devices/{browser}/test")[0] == 202)
    check("the test arrives", until(lambda: PushService.taken))
    headers, path, body = PushService.taken[0]
    check("the browser reads it", owner.decrypt(body)["kind"] == "test" and path == "/send/secret")
    token, key = re.fullmatch(r"vapid t=(\S+), k=(\S+)", headers["Authorization"]).groups()
    head, claims, signature = token.split(".")
    raw = unb64(signature)
    ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), unb64(key)).verify(
        utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")),
        f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    claims = json.loads(unb64(claims))
    check("the server identifies itself", unb64(key) == public and claims["aud"] == f"https://{place}"
          and claims["sub"] == "https://kanbase.example.org")

    due = datetime.now(timezone.utc) + timedelta(seconds=6)
    text = due.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    task = call("POST", "/tasks", {"title": "Secret", "dueDate": text, "reminders": ["PT0S", "-PT2S"]})[1]
    time.sleep(1)
    server.kill()
    server.wait()
    server, url = start()
    check("a reminder of a killed server arrives at the browser", until(lambda: len(PushService.taken) >= 3))
    messages = [owner.decrypt(taken[2]) for taken in PushService.taken[1:]]
    check("each once, with the task's id alone", sorted(message["notificationId"] for message in messages) == [
        f"{task['id']}/-PT2S", f"{task['id']}/PT0S"] and "Secret" not in json.dumps(messages))
    check("and at the phone, over HTTP/2", until(lambda: len(apples) >= 2) and all(
        message["taskId"] == task["id"] and message["aps"]["alert"]["title"] == "알림" for message in apples))
    check("the key pair stays", unb64(call("GET", "/push")[1]["webPush"]["publicKey"]) == public)
    PushService.status = 410
    call("POST", f"/devices/{browser}/test")
    check("a subscription that is gone is removed",
          until(lambda: [device["id"] for device in call("GET", "/devices")[1]["items"]] == [phone]))
    server.terminate()
    check("the server stops", server.wait(20) == 0)
    written = open(f"{room}/log").read()
    check("no log has a token, an endpoint or a title", not any(word in written for word in ["ab" * 32, "/send/secret", "Secret"]))
    if failures:
        print(written[-3000:])
    sys.exit(failures)


main()
