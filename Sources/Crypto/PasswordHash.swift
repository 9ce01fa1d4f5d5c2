/// A stored password: the function, its parameters, the salt and the key, in one line of text.
///
/// `$scrypt$ln=15,r=8,p=3$<salt>$<key>` or `$pbkdf2-sha256$i=600000$<salt>$<key>`, both parts in base 64 without padding, or
/// `$scrypt-stream$ln=14,r=8$…` of an account that came from Firebase.
/// The parameters are in the text so that they can be raised later. An old hash still works; ``needsRenewal(by:)`` says
/// that it should be replaced at the next log-in, when the password is known.
package struct PasswordHash: Hashable, Sendable {
    package let derivation: KeyDerivation
    package let salt: [UInt8]
    package let key: [UInt8]

    /// The parameters of new hashes: about 240 ms of one core and 32 MiB.
    ///
    /// Among the least of OWASP's Password Storage Cheat Sheet, which holds `N=2^15, p=3` and `N=2^17, p=1` for equal: this
    /// one takes a quarter of the memory, which a small server has to have for each of its threads that hash.
    #if canImport(Darwin)
        package static let current = KeyDerivation.pbkdf2(rounds: 600_000)
    #else
        package static let current = KeyDerivation.scrypt(logCost: 15, blockSize: 8, parallelism: 3)
    #endif

    private static let saltBytes = 16
    private static let keyBytes = 32

    /// Hashes a password under a new salt. Takes as long as `derivation` asks for.
    /// - Throws: ``KeyDerivation/Failed``, when memory is short.
    package init(
        password: String, derivation: KeyDerivation = Self.current, salt: [UInt8]? = nil
    ) throws(KeyDerivation.Failed) {
        let salt = salt ?? SecureRandom.bytes(Self.saltBytes)
        key = try derivation.key(from: Array(password.utf8), salt: salt, count: Self.keyBytes)
        self.derivation = derivation
        self.salt = salt
    }

    /// A hash that no password matches and that takes as long to compare. Made without hashing.
    package static func unmatchable(by derivation: KeyDerivation = current) -> PasswordHash {
        PasswordHash(derivation: derivation, salt: SecureRandom.bytes(saltBytes), key: SecureRandom.bytes(keyBytes))
    }

    /// A hash of Firebase Auth, until its owner logs in.
    ///
    /// Firebase encrypts the project's signer key with a stream cipher whose key comes from the password. What it stored and
    /// the signer key differ by that key stream, so the key stream is kept and the signer key, a secret of the project, is not.
    /// - Parameters:
    ///   - hash: the encrypted signer key.
    ///   - salt: the account's salt, followed by the project's separator.
    /// - Returns: `nil` when the lengths do not fit or the parameters ask for too much.
    package init?(firebase hash: [UInt8], signerKey: [UInt8], salt: [UInt8], logCost: Int, blockSize: Int) {
        let derivation = KeyDerivation.scryptStream(logCost: logCost, blockSize: blockSize)
        guard hash.count == signerKey.count, Self.keyLengths.contains(hash.count), derivation.isUsable else {
            return nil
        }
        self.init(derivation: derivation, salt: salt, key: zip(hash, signerKey).map { $0 ^ $1 })
    }

    private static let keyLengths = 16...64

    private init(derivation: KeyDerivation, salt: [UInt8], key: [UInt8]) {
        self.derivation = derivation
        self.salt = salt
        self.key = key
    }

    /// Parses a stored hash; `nil` when it is malformed or its function is not available.
    package init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty,
            let derivation = Self.derivation(name: parts[1], parameters: parts[2]), derivation.isUsable,
            let salt = ByteText.bytes(base64: String(parts[3])), let key = ByteText.bytes(base64: String(parts[4])),
            Self.keyLengths.contains(key.count)
        else { return nil }
        self.derivation = derivation
        self.salt = salt
        self.key = key
    }

    /// True when the password matches. Takes as long as hashing.
    /// - Throws: ``KeyDerivation/Failed``, when memory is short.
    package func matches(_ password: String) throws(KeyDerivation.Failed) -> Bool {
        ConstantTime.equal(try derivation.key(from: Array(password.utf8), salt: salt, count: key.count), key)
    }

    /// True when new hashes have other parameters.
    package func needsRenewal(by derivation: KeyDerivation = Self.current) -> Bool {
        self.derivation != derivation || key.count != Self.keyBytes
    }

    /// The text to store.
    package var text: String {
        let head =
            switch derivation {
            case .scrypt(let logCost, let blockSize, let parallelism):
                "scrypt$ln=\(logCost),r=\(blockSize),p=\(parallelism)"
            case .pbkdf2(let rounds):
                "pbkdf2-sha256$i=\(rounds)"
            case .scryptStream(let logCost, let blockSize):
                "scrypt-stream$ln=\(logCost),r=\(blockSize)"
            }
        return "$\(head)$\(ByteText.base64(salt))$\(ByteText.base64(key))"
    }

    private static func derivation(name: Substring, parameters: Substring) -> KeyDerivation? {
        var values: [Substring: Int] = [:]
        for parameter in parameters.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = parameter.split(separator: "=", omittingEmptySubsequences: false)
            guard pair.count == 2, let value = Int(pair[1]), values.updateValue(value, forKey: pair[0]) == nil else {
                return nil
            }
        }
        switch name {
        case "scrypt":
            guard values.count == 3, let logCost = values["ln"], let blockSize = values["r"],
                let parallelism = values["p"]
            else { return nil }
            return .scrypt(logCost: logCost, blockSize: blockSize, parallelism: parallelism)
        case "pbkdf2-sha256":
            guard values.count == 1, let rounds = values["i"] else { return nil }
            return .pbkdf2(rounds: rounds)
        case "scrypt-stream":
            guard values.count == 2, let logCost = values["ln"], let blockSize = values["r"] else { return nil }
            return .scryptStream(logCost: logCost, blockSize: blockSize)
        default:
            return nil
        }
    }
}
