import Sockets

/// Takes connections from one listening socket, on one loop, until it is stopped.
// Unchecked because all but the address is for the loop's thread only, and `start` and `stop` go there.
final class Acceptor: WatchHandler, @unchecked Sendable {
    typealias Admit = @Sendable (consuming Socket, SocketAddress) -> Void

    let address: SocketAddress
    private let listener: Listener
    private let watch: Watch
    private let admit: Admit
    private var retry: LoopTimer?
    private var isStopped = false

    /// Connections that are taken before the loop's other ones have their turn.
    private static let batch = 64
    /// How long to wait for descriptors to become free.
    private static let pause = Duration.milliseconds(100)

    init(_ listener: consuming Listener, on loop: EventLoop, admit: @escaping Admit) {
        address = listener.address
        watch = Watch(listener.descriptor.number, on: loop)
        self.listener = listener
        self.admit = admit
    }

    func start() {
        watch.loop.execute { [self] in
            do throws(SystemError) {
                try watch.start(self)
            } catch {
                // Nothing can be taken then; `start` of the server has already promised. The kernel refuses only when
                // it is out of memory for one more watch.
                return
            }
            if !isStopped { watch.wait(for: .reading, until: .distantFuture) }
        }
    }

    /// Returns when no further connection will be taken. The socket closes with the last reference to the acceptor.
    func stop() async {
        await withCheckedContinuation { continuation in
            watch.loop.execute { [self] in
                isStopped = true
                retry?.cancel()
                retry = nil
                watch.stop()
                continuation.resume()
            }
        }
    }

    func becameReady() {
        acceptSome()
    }

    private func acceptSome() {
        if isStopped { return }
        for _ in 0..<Self.batch {
            switch listener.accept() {
            case .connection(let socket, let peer): admit(socket, peer)
            case .lost: continue
            case .none:
                watch.exhausted(.reading)
                return watch.wait(for: .reading, until: .distantFuture)
            case .exhausted:
                // Clients that wait stay in the kernel's queue until descriptors are free again.
                let timer = LoopTimer(on: watch.loop) { [self] in acceptSome() }
                timer.schedule(at: watch.loop.now + Self.pause)
                retry = timer
                return
            case .failed:
                return
            }
        }
        watch.loop.inNextTurn { [self] in acceptSome() }
    }

    func timedOut() {}
    func peerEnded() {}
    func connectionBroke() {}
}

/// Hands a socket, which exists only once, to a closure that Swift takes for one that could run twice.
// Unchecked because it is made on one thread and emptied on another, with the queue of the loop between the two.
final class SocketBox: @unchecked Sendable {
    private var socket: Socket?

    init(_ socket: consuming Socket) {
        self.socket = consume socket
    }

    func take() -> Socket? {
        var taken: Socket?
        swap(&taken, &socket)
        return taken
    }
}
