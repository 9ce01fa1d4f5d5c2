import Sockets

/// Takes connections from one listening socket, on one loop, until it is stopped.
// Unchecked because `task` is set once, before anyone else has the acceptor.
final class Acceptor: @unchecked Sendable {
    typealias Admit = @Sendable (consuming Socket, SocketAddress) -> Void

    let address: SocketAddress
    private let listener: Listener
    private let watch: Watch
    private let admit: Admit
    private var task: Task<Void, Never>?

    init(_ listener: consuming Listener, on loop: EventLoop, admit: @escaping Admit) {
        address = listener.address
        watch = Watch(listener.descriptor.number, on: loop)
        self.listener = listener
        self.admit = admit
    }

    func start() {
        task = Task(executorPreference: watch.loop) { await self.run() }
    }

    /// Returns when no further connection will be taken. The socket closes with the last reference to the acceptor.
    func stop() async {
        task?.cancel()
        watch.poke()
        await task?.value
    }

    private func run() async {
        do throws(SystemError) {
            try watch.start()
        } catch {
            // Nothing can be taken then; `start` of the server has already promised. The kernel refuses only when it
            // is out of memory for one more watch.
            return
        }
        defer { watch.stop() }
        var accepted = 0
        while !Task.isCancelled {
            switch listener.accept() {
            case .connection(let socket, let peer):
                admit(socket, peer)
                accepted += 1
                // However many come, the loop's connections have their turn.
                if accepted % 64 == 0 { await Task.yield() }
            case .lost: continue
            case .none:
                watch.exhausted(.reading)
                _ = await watch.wait(for: .reading, until: .distantFuture)
            case .exhausted:
                // Whoever waits stays in the kernel's queue until descriptors are free again.
                // A cancelled sleep ends the loop above.
                try? await watch.loop.sleep(for: .milliseconds(100))
            case .failed:
                return
            }
        }
    }
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
