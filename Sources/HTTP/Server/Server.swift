import Locks
import Sockets
import Synchronization

/// An HTTP/1.1 server: takes connections, spreads them over the loops, and ends them in good order.
package final class Server: Sendable {
    /// Makes what a new connection reads from and writes to; `nil` refuses it. Called on the connection's loop.
    package typealias MakeTransport = @Sendable (consuming Socket, SocketAddress) -> (any Transport)?

    let shared: SharedLimits
    let responder: any Responder
    package let budget: MemoryBudget
    let contexts: [LoopContext]
    private let makeTransport: MakeTransport
    private let limiter: ConnectionLimiter
    private let selector = Locked(LoopSelector())
    private let acceptors = Locked<[Acceptor]>([])
    private let isDraining = Atomic<Bool>(false)

    /// - Parameter isSecure: true if the transports have TLS, which answers say.
    package init(
        group: EventLoopGroup, limits: Limits = Limits(), responder: any Responder, isSecure: Bool = false,
        transport: @escaping MakeTransport = { socket, _ in PlainTransport(socket) }
    ) {
        precondition(limits.headBytes <= 65_536, "Places in a head are 16 bits wide.")
        shared = SharedLimits(limits)
        self.responder = responder
        budget = MemoryBudget(
            whole: limits.heldBytes, share: limits.heldBytesPerClient, evictionTime: limits.evictionTime)
        contexts = group.loops.map { LoopContext(loop: $0, limits: limits, isSecure: isSecure) }
        makeTransport = transport
        limiter = ConnectionLimiter(
            total: limits.connections, perAddress: limits.connectionsPerAddress, refusals: limits.refusedAtOnce)
    }

    package var limits: Limits { shared.limits }

    /// Connections that are open now, for the metrics.
    package var connectionCount: Int {
        contexts.reduce(0) { $0 + $1.connectionCount.load(ordering: .relaxed) }
    }

    /// Streamed answers that are being sent now, for the metrics.
    package var streamCount: Int {
        contexts.reduce(0) { $0 + $1.streamCount.load(ordering: .relaxed) }
    }

    /// Binds and begins to take connections. May be called for several addresses.
    ///
    /// - Returns: the address with the port that the system chose when 0 was asked for.
    /// - Throws: ``SystemError``, for instance `bind` with `EADDRINUSE`.
    package func start(_ address: SocketAddress) throws(SystemError) -> SocketAddress {
        Descriptor.raiseLimit()
        let acceptor = Acceptor(try Listener(on: address), on: contexts[0].loop) { [weak self] socket, peer in
            self?.admit(socket, from: peer)
        }
        acceptor.start()
        acceptors.withLock { $0.append(acceptor) }
        return acceptor.address
    }

    /// Stops taking connections, lets running requests finish, ends endless streams, and closes what is still open
    /// when the time is over. Returns when all are closed, or soon after the time.
    ///
    /// - Parameter release: ends what handlers wait for. It is called when every connection knows that the next answer is
    ///   its last, and says so in it.
    package func drain(within time: Duration, _ release: () -> Void = {}) async {
        isDraining.store(true, ordering: .sequentiallyConsistent)
        await stopAccepting()
        await forEachConnection { $0.drain() }
        release()
        if await isEmpty(within: time) { return }
        await forEachConnection { $0.abort() }
        // A handler that does not mind being cancelled may hold its connection longer; it is not waited for.
        _ = await isEmpty(within: .milliseconds(500))
    }

    /// A function of its own, because the sockets close with the last reference to the acceptors.
    private func stopAccepting() async {
        let acceptors = acceptors.withLock { acceptors in
            defer { acceptors = [] }
            return acceptors
        }
        for acceptor in acceptors { await acceptor.stop() }
    }

    /// Returns when the body has been called for each connection, on its loop.
    private func forEachConnection(_ body: @escaping @Sendable (Connection) -> Void) async {
        for context in contexts {
            await withCheckedContinuation { continuation in
                context.loop.execute {
                    for connection in context.connections.values { body(connection) }
                    continuation.resume()
                }
            }
        }
    }

    private func isEmpty(within time: Duration) async -> Bool {
        let end = Instant.now + time
        while connectionCount > 0 {
            if Instant.now >= end { return false }
            // Sleeping is all right here: it happens once in the life of a server. A cancelled drain goes on.
            try? await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    // MARK: New connections

    private func admit(_ socket: consuming Socket, from peer: SocketAddress) {
        let network = peer.network
        let context = context(for: socket, of: network)
        let entry = limiter.enter(network, isShared: shared.limits.isShared(peer))
        let admitted = entry != .refused
        if !admitted, !limiter.mayRefuse() { return }
        if case .instead(let crowd) = entry { endIdleConnection(of: crowd) }
        context.connectionCount.add(1, ordering: .relaxed)
        let box = SocketBox(socket)
        context.loop.execute { [self] in
            let whenClosed: @Sendable () -> Void = { [self] in
                context.connectionCount.subtract(1, ordering: .relaxed)
                if admitted { limiter.leave(network) } else { limiter.wasRefused() }
            }
            guard let socket = box.take(), let transport = makeTransport(socket, peer) else { return whenClosed() }
            let connection = Connection(transport, address: peer, context: context, server: self)
            if !admitted { connection.refuseAdmission() }
            connection.start(whenClosed: whenClosed)
            // The connection may have been on its way while the others began to drain.
            if isDraining.load(ordering: .sequentiallyConsistent) { connection.drain() }
        }
    }

    /// Ends the connection of the network that has waited longest for a request, if one does.
    private func endIdleConnection(of network: String) {
        let idle = Locked<(waiting: Int, oldest: (since: Instant, name: ObjectIdentifier, context: LoopContext)?)>(
            (contexts.count, nil))
        for context in contexts {
            context.loop.execute {
                let found = context.connections.values.filter { $0.address.network == network }
                    .compactMap { connection in connection.idleSince.map { ($0, ObjectIdentifier(connection)) } }
                    .min { $0.0 < $1.0 }
                let victim = idle.withLock { idle in
                    idle.waiting -= 1
                    if let (since, name) = found, since < idle.oldest?.since ?? .distantFuture {
                        idle.oldest = (since, name, context)
                    }
                    return idle.waiting == 0 ? idle.oldest : nil
                }
                guard let victim else { return }
                victim.context.loop.execute { victim.context.connections[victim.name]?.endIfIdle() }
            }
        }
    }

    private func context(for socket: borrowing Socket, of network: String) -> LoopContext {
        let loads = contexts.map { $0.connectionCount.load(ordering: .relaxed) }
        let processor = socket.incomingProcessor
        return contexts[selector.withLock { $0.loop(for: network, on: processor, at: .now, loads: loads) }]
    }
}
