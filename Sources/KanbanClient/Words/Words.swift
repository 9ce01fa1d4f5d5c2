import Foundation

/// A sentence in the languages of the library.
struct Words: Sendable {
    let en, ko, ja: String

    init(_ en: String, _ ko: String, _ ja: String) {
        self.en = en
        self.ko = ko
        self.ja = ja
    }

    func text(in language: Language) -> String {
        switch language {
        case .en: en
        case .ko: ko
        case .ja: ja
        }
    }
}

extension Language {
    /// The first of the device's languages that the library speaks; else English.
    public static var preferred: Language {
        Locale.preferredLanguages.lazy.compactMap { Language(rawValue: String($0.prefix(2))) }.first ?? .en
    }
}

extension String {
    /// The word with the Korean particle of a topic, which goes by its last sound.
    var withTopic: String {
        let last = unicodeScalars.last.map { Int($0.value) } ?? 0
        let endsInConsonant = (0xAC00...0xD7A3).contains(last) && (last - 0xAC00) % 28 != 0
        return self + (endsInConsonant ? "은" : "는")
    }
}
