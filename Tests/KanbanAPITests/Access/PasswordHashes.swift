import Crypto

enum PasswordHashes {
    /// As they were stored before the parameters were raised: another function, and one pass of scrypt instead of three.
    static func old(_ password: String) throws -> [String] {
        let once = KeyDerivation.scrypt(logCost: 4, blockSize: 8, parallelism: 1)
        return try [.pbkdf2(rounds: 1000), once].map { try PasswordHash(password: password, derivation: $0).text }
    }
}
