import Kanban
import Testing

@testable import KanbanAPI

struct AcceptLanguageTests {
    @Test(arguments: [
        ("ko", Language.ko), ("ja-JP", .ja), ("EN-gb", .en), ("ko-KR,ko;q=0.9,en-US;q=0.8,en;q=0.7", .ko),
        ("en;q=0.5, ja;q=0.7", .ja), ("en;q=0.5,ja;q=0.5", .en), ("fr, de;q=0.9, ja;q=0.1", .ja),
        ("ko;q=0, ja;q=0.001", .ja),
        ("ko;q=0.001, *;q=0", .ko), ("*, ko", .ko), ("en ; q=0.2 , ko ;Q=0.3", .ko),
        ("ko-KR;q=0.2, ko;q=0.8, en;q=0.5", .ko),
        ("en;q=0, *", .ko), ("en;q=0, ko;q=0.1, *;q=0.5", .ja), ("zh-Hant-TW, ja;q=1.000", .ja),
    ])
    func `the best language that is accepted is chosen`(field: String, language: Language) {
        #expect(Language(negotiating: [field]) == language)
    }

    @Test(arguments: [
        "", "*", "fr", "fr, *;q=0.5", "ko;q=0", "ko;q=0.5, *", "kor", "k", "ko;q=2", "ko;q=0.1234", "ko;q=",
        "ko;level=1",
        "ko;q=1.001", "한국어", "ko_KR", ";q=1", "en;q=0, ko;q=0, ja;q=0, *",
    ])
    func `where the field leaves it open, the account's own choice counts`(field: String) {
        #expect(Language(negotiating: [field]) == nil)
    }
}
