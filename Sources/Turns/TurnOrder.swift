/// Who waits for a turn, who goes next, and how many have one.
@usableFromInline
package protocol TurnOrder: SendableMetatype {
    associatedtype Client: Sendable
    associatedtype Element

    /// How many wait.
    var count: Int { get }

    /// True if the client need not wait.
    func hasTurn(for client: Client) -> Bool

    /// - Parameter ticket: for ``remove(_:)``.
    /// - Returns: what there is no room for: this or another element.
    mutating func add(_ element: Element, of client: Client, ticket: UInt64) -> Element?

    /// Removes what waits under the ticket; `nil` when it does not wait.
    mutating func remove(_ ticket: UInt64) -> Element?

    /// Removes all that wait, in their order.
    mutating func removeWaiting() -> [Element]

    /// Takes out what has its turn, if there is room. Call ``end(_:cost:)`` when it is done.
    mutating func next() -> Element?

    /// - Parameter cost: of what is done, in any unit.
    mutating func end(_ client: Client, cost: Int)
}
