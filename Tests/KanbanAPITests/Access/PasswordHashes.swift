import Crypto

enum PasswordHashes {
    /// As they were stored before the parameters were raised.
    static func old(_ password: String) throws -> String {
        try PasswordHash(password: password, derivation: .pbkdf2(rounds: 1000)).text
    }
}
