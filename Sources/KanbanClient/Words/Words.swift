import Foundation

/// A sentence in the languages of the library.
struct Words: Sendable {
    let en, ko, ja: String

    init(_ en: String, _ ko: String, _ ja: String) {
        self.en = en
        self.ko = ko
        self.ja = ja
    }

    static let accountFull = Words(
        "The account is full. Deleted tasks count until they leave the trash. The server's operator can raise the limit.",
        "계정에 자리가 없습니다. 삭제한 할 일도 휴지통에서 없어질 때까지 자리를 차지합니다. 서버 운영자가 한도를 늘릴 수 있습니다.",
        "アカウントがいっぱいです。削除したタスクもごみ箱から消えるまで容量を使います。サーバーの管理者が上限を増やせます。")

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
