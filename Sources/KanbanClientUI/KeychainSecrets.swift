#if canImport(Security)
    import Foundation
    import KanbanClient
    import Security

    /// Tokens in the keychain of this device, readable after the first unlock so that background tasks can sync.
    public struct KeychainSecrets: Secrets {
        private let service: String
        private let accessGroup: String?

        /// - Parameter accessGroup: the keychain access group that an app shares with its widgets; `nil`: of the app alone.
        public init(service: String = "KanbanClient", accessGroup: String? = nil) {
            self.service = service
            self.accessGroup = accessGroup
        }

        public func read(_ account: String) throws -> String? {
            var query = query(account)
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = found as? Data else { throw failure(status) }
            return String(decoding: data, as: UTF8.self)
        }

        public func write(_ secret: String?, for account: String) throws {
            let removed = SecItemDelete(query(account) as CFDictionary)
            guard removed == errSecSuccess || removed == errSecItemNotFound else { throw failure(removed) }
            guard let secret else { return }
            var item = query(account)
            item[kSecValueData as String] = Data(secret.utf8)
            item[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            let added = SecItemAdd(item as CFDictionary, nil)
            guard added == errSecSuccess else { throw failure(added) }
        }

        private func query(_ account: String) -> [String: Any] {
            var query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
                kSecAttrAccount as String: account,
            ]
            if let accessGroup {
                query[kSecAttrAccessGroup as String] = accessGroup
                // The other keychain of macOS knows no groups.
                query[kSecUseDataProtectionKeychain as String] = true
            }
            return query
        }

        private func failure(_ status: OSStatus) -> KanbanError {
            .storage("The keychain answered \(status).")
        }
    }
#endif
