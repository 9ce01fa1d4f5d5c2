import Crypto
import Kanban

/// A secret of the server that is kept with the data, for all servers over one database.
package struct ServerKey: Hashable, Sendable {
    package var name: String
    package var value: [UInt8]
    package var madeAt: Timestamp

    /// The pair with which this server identifies itself to push services. It is made once: browsers bind each subscription
    /// to it.
    package static func vapid(in store: any AccessStore) async throws -> AgreementKey {
        let new = AgreementKey()
        let key = try await store.writeAccess { writer in
            if let known = try writer.serverKey("vapid"), let pair = AgreementKey(der: known.value) { return pair }
            try writer.save(ServerKey(name: "vapid", value: new.der, madeAt: writer.now))
            return new
        }
        return key
    }
}
