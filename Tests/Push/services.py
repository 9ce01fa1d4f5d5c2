"""Stand-ins for a browser's push service (HTTPS) and for Apple's (HTTP/2), and servers that send to them.

Needs openssl and Python's cryptography.
"""
import base64, http.server, json, os, socket, ssl, struct, subprocess, tempfile, threading, time, urllib.error, urllib.request

from cryptography.hazmat.primitives import hashes, hmac, serialization
from cryptography.hazmat.primitives.asymmetric import ec
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


def until(holds, seconds=20):
    end = time.monotonic() + seconds
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.1)
    return bool(held)


class Stage:
    """The stand-ins, with a certificate and a key made here."""

    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.room = room = tempfile.mkdtemp()
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", f"{room}/key", "-out", f"{room}/ca"],
            check=True, stderr=subprocess.DEVNULL)
        subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-out", f"{room}/p8"],
                       check=True, stderr=subprocess.DEVNULL)
        service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), PushService)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{room}/ca", f"{room}/key")
        service.socket = context.wrap_socket(service.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=service.serve_forever, daemon=True).start()
        self.listener, self.apples = socket.create_server(("127.0.0.1", 0)), []
        threading.Thread(target=apple, args=(self.listener, self.apples), daemon=True).start()
        self.place = f"localhost:{service.server_port}"
        self.log = open(f"{room}/log", "w")
        self.owner = Browser()

    def start(self, *options):
        """A server on its own data, or on those of the options."""
        return Server(self, options or ("--data", f"{self.room}/data"))

    def subscription(self, endpoint):
        keys = {"p256dh": b64(point(self.owner.key.public_key())), "auth": b64(self.owner.secret)}
        return {"kind": "webpush", "subscription": {"endpoint": endpoint, "keys": keys}}

    def messages(self):
        """What the browser reads of all that its service took."""
        return [self.owner.decrypt(body) for _, _, body in list(PushService.taken)]


class Server:
    def __init__(self, stage, options):
        self.process = subprocess.Popen(
            [stage.program, "serve", "--port", "0", *options, "--public-url", "https://kanbase.example.org",
             "--web-push-service", stage.place, "--push-ca", f"{stage.room}/ca", "--apns-key", f"{stage.room}/p8",
             "--apns-key-id", "KEY1234567", "--apns-team", "TEAM123456", "--apns-topic", "com.example.board",
             "--apns-url", f"http://127.0.0.1:{stage.listener.getsockname()[1]}"],
            stdout=subprocess.PIPE, stderr=stage.log, text=True)
        self.url = self.process.stdout.readline().split()[-1]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode())
        if body is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null")
