import Foundation

extension KanbanError: LocalizedError {
    /// ``message(in:)`` in the device's language, if the library speaks it.
    public var errorDescription: String? { message(in: .preferred) }

    /// What happened, in a sentence or two for an alert. Holds none of the user's texts.
    public func message(in language: Language) -> String {
        if case .invalid(let faults) = self, !faults.isEmpty { return faults.message(in: language) }
        return (AccountRefusal(self, next: nil).map { $0.message(in: language) }) ?? words.text(in: language)
    }

    private var words: Words {
        switch self {
        case .invalid: Words("This is not valid.", "올바르지 않습니다.", "正しくありません。")
        case .notFound:
            Words("It does not exist, or was deleted.", "없거나 삭제되었습니다.", "存在しないか、削除されました。")
        case .conflict:
            Words("Something else is in its place.", "그 자리에 다른 것이 있습니다.", "その場所には別のものがあります。")
        case .offline:
            Words("The server cannot be reached.", "서버에 연결할 수 없습니다.", "サーバーに接続できません。")
        case .untrustedCertificate:
            Words(
                "The server's certificate is not trusted.", "서버의 인증서를 신뢰할 수 없습니다.",
                "サーバーの証明書を信頼できません。")
        case .notKanbase:
            Words(
                "There is no Kanbase server at this address, or this network wants a log-in of its own first.",
                "이 주소에 Kanbase 서버가 없거나, 이 네트워크에 먼저 로그인해야 합니다.",
                "このアドレスにKanbaseサーバーがないか、先にこのネットワークへのログインが必要です。")
        case .loggedOut: Words("Log in again.", "다시 로그인하세요.", "もう一度ログインしてください。")
        case .forbidden(let code):
            Words(
                "The server does not allow this: \(code).", "서버가 허용하지 않습니다(\(code)).",
                "サーバーが許可していません（\(code)）。")
        case .tooOld:
            Words(
                "What answers, or the folder, is of a version too old for this app.",
                "서버 또는 폴더의 버전이 이 앱에 비해 너무 오래되었습니다.", "サーバーまたはフォルダーのバージョンがこのアプリには古すぎます。")
        case .newerData:
            Words(
                "A newer version of this app wrote the data. Update the app.", "더 새로운 버전의 앱이 쓴 데이터입니다. 앱을 업데이트하세요.",
                "より新しいバージョンのアプリが書いたデータです。アプリを更新してください。")
        case .storage(let what): Self.storageWords(what)
        case .unsent(let count):
            Words(
                "\(count) \(count == 1 ? "change is" : "changes are") on this device alone, and would be lost.",
                "변경 사항 \(count)개가 이 기기에만 있어 잃게 됩니다.", "\(count)件の変更はこのデバイスだけにあり、失われます。")
        case .guestData(let counts) where counts.total == 0:
            Words(
                "Categories or D-days were made without an account: add or discard them.",
                "계정 없이 만든 분류나 디데이가 있습니다. 추가하거나 버리세요.",
                "アカウントなしで作ったカテゴリーまたはカウントダウンがあります。追加するか破棄してください。")
        case .guestData(let counts):
            Words(
                "\(counts.total) \(counts.total == 1 ? "task was" : "tasks were") made without an account: add or discard them.",
                "계정 없이 만든 할 일이 \(counts.total)개 있습니다. 추가하거나 버리세요.",
                "アカウントなしで作ったタスクが\(counts.total)件あります。追加するか破棄してください。")
        case .wrongPassword: Words("", "", "")  // A refusal has words already.
        case .timedOut: Words("It took too long.", "시간이 너무 오래 걸렸습니다.", "時間がかかりすぎました。")
        case .server(let status, let code, _): Self.serverWords(status, code)
        }
    }

    private static func serverWords(_ status: Int, _ code: String) -> Words {
        switch (status, code) {
        case (_, "not_understood"):
            Words(
                "What answers does not seem to be the server. Perhaps this network wants a log-in of its own.",
                "서버가 아닌 곳에서 응답했습니다. 이 네트워크에 먼저 로그인해야 할 수도 있습니다.",
                "サーバー以外から応答がありました。このネットワークへのログインが必要かもしれません。")
        case (_, "quota_exceeded"): .accountFull
        case (507, _):
            Words("The server's disk is full.", "서버의 디스크가 가득 찼습니다.", "サーバーのディスクがいっぱいです。")
        case (500..., _):
            Words(
                "The server cannot answer now. Try again later.", "서버가 지금 응답할 수 없습니다. 나중에 다시 시도하세요.",
                "サーバーは今応答できません。あとでもう一度お試しください。")
        default:
            Words(
                "The server answered \(status) \(code).", "서버가 \(status) \(code)(으)로 응답했습니다.",
                "サーバーが\(status) \(code)と応答しました。")
        }
    }

    /// The texts of the library have words in each language; what else the system says is for logs.
    private static func storageWords(_ what: String) -> Words {
        switch KanbanError.storage(what) {
        case .full:
            Words(what, "이 기기에 저장 공간이 없습니다.", "このデバイスの空き容量がありません。")
        case .closed: Words(what, "보드가 닫혔습니다.", "ボードは閉じられています。")
        case .deleted:
            Words(what, "보드의 폴더가 열려 있는 동안 삭제되었습니다.", "ボードのフォルダーが開いている間に削除されました。")
        case .openedForReading: Words(what, "읽기 전용으로 연 보드입니다.", "読み取り専用で開いたボードです。")
        case .damaged: Words(what, "보드 파일이 손상되었습니다.", "ボードのファイルが壊れています。")
        default:
            Words(
                what, "이 기기에 저장하거나 읽을 수 없습니다. \(what)", "このデバイスで保存または読み取りができません。\(what)")
        }
    }
}
