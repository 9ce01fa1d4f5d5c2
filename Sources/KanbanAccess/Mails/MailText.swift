import Kanban

/// The plain text of a mail: what happened, a code on its own line, a link, and what to do if it was not you.
struct MailText {
    var kind: MailJob.Kind
    /// The code and its link, if the mail has one.
    var action: (code: String, link: String)?
    var device: String?
    var network: String?
    var at: Timestamp

    func written(in language: Language) -> (subject: String, text: String) {
        let words = Words.of(language)
        let (subject, opening) = words.kinds[kind == .ownReset ? .passwordReset : kind] ?? ("", "")
        var paragraphs = [opening]
        let facts = [(words.device, device.map(Self.plain)), (words.network, network), (words.time, Optional(time))]
        switch kind.code {
        case .accountLock:
            paragraphs.append(
                facts.compactMap { name, value in value.map { "\(name): \($0.onOneLine)" } }.joined(separator: "\n")
            )
            paragraphs.append(words.lock)
        case .passwordReset, .emailVerification, .digestEnd, nil:
            break
        }
        if let action {
            paragraphs += [action.code, action.link]
            paragraphs.append(kind.code == .accountLock ? words.week : words.halfHour)
        }
        return (subject, paragraphs.joined(separator: "\n\n") + "\n")
    }

    /// A caller's words without what mail programs make a link of.
    private static func plain(_ words: String) -> String {
        let kept = words.map { $0.isLetter || $0.isNumber || " -_()'’".contains($0) ? $0 : " " }
        return String(String(kept).split(separator: " ").joined(separator: " ").prefix(40))
    }

    /// To the minute, for people: `2026-11-20 08:19 UTC`.
    private var time: String {
        "\(at.description.prefix(16).replacing("T", with: " ")) UTC"
    }

    private struct Words {
        var kinds: [MailJob.Kind: (subject: String, opening: String)]
        var device: String
        var network: String
        var time: String
        var lock: String
        var week: String
        var halfHour: String

        static func of(_ language: Language) -> Words {
            switch language {
            case .en: english
            case .ko: korean
            case .ja: japanese
            }
        }

        private static let english = Words(
            kinds: [
                .passwordReset: (
                    "Set a new password",
                    "Somebody asked for a new password for your Kanbase account. To set one, open the link, or type this code into your app."
                ),
                .emailVerification: (
                    "Confirm your e-mail address",
                    "Confirm that this address is yours: type this code into your app, or open the link."
                ),
                .newDevice: ("New log-in", "A new device logged in to your Kanbase account."),
                .passwordChanged: ("Your password was changed", "The password of your Kanbase account was changed."),
                .emailChanged: (
                    "Your e-mail address was changed",
                    "Your Kanbase account has a new e-mail address. This old one gets no more mail about it."
                ),
                .addressWanted: (
                    "Somebody wanted to use your e-mail address",
                    "Somebody asked to use this address for another Kanbase account. It stays with yours, and there is nothing to do."
                ),
            ],
            device: "Device", network: "Network", time: "Time",
            lock:
                "If this was you, there is nothing to do. If it was not you, lock the account with the link or this code. All devices are logged out, and only a password reset by mail opens it again.",
            week: "The code is good once, for a week.",
            halfHour: "The code is good once, for 30 minutes. If you did not ask for this, do nothing.")

        private static let korean = Words(
            kinds: [
                .passwordReset: (
                    "비밀번호 재설정",
                    "Kanbase 계정의 비밀번호 재설정 요청을 받았습니다. 링크를 열거나 앱에 아래 코드를 입력하세요."
                ),
                .emailVerification: ("이메일 주소 확인", "본인의 이메일 주소인지 확인합니다. 앱에 아래 코드를 입력하거나 링크를 여세요."),
                .newDevice: ("새로운 로그인", "새로운 기기에서 Kanbase 계정에 로그인했습니다."),
                .passwordChanged: ("비밀번호 변경", "Kanbase 계정의 비밀번호가 변경되었습니다."),
                .emailChanged: (
                    "이메일 주소 변경", "Kanbase 계정의 이메일 주소가 변경되었습니다. 이전 주소인 이곳으로는 더 이상 메일을 보내지 않습니다."
                ),
                .addressWanted: (
                    "이메일 주소 사용 요청",
                    "누군가 이 주소를 다른 Kanbase 계정에 쓰려고 했습니다. 주소는 그대로 회원님의 계정에 있으며, 아무것도 하지 않아도 됩니다."
                ),
            ],
            device: "기기", network: "네트워크", time: "시각",
            lock:
                "본인이 한 일이라면 아무것도 하지 않아도 됩니다. 본인이 아니라면 링크나 아래 코드로 계정을 잠그세요. 모든 기기에서 로그아웃되고, 메일로 비밀번호를 재설정해야만 다시 열 수 있습니다.",
            week: "코드는 일주일 동안 한 번만 쓸 수 있습니다.",
            halfHour: "코드는 30분 동안 한 번만 쓸 수 있습니다. 요청하지 않았다면 무시하세요.")

        private static let japanese = Words(
            kinds: [
                .passwordReset: (
                    "パスワードの再設定",
                    "Kanbase アカウントのパスワード再設定の依頼を受け付けました。リンクを開くか、アプリに次のコードを入力してください。"
                ),
                .emailVerification: ("メールアドレスの確認", "このアドレスがご本人のものか確認します。アプリに次のコードを入力するか、リンクを開いてください。"),
                .newDevice: ("新しいログイン", "新しい端末から Kanbase アカウントへのログインがありました。"),
                .passwordChanged: ("パスワードの変更", "Kanbase アカウントのパスワードが変更されました。"),
                .emailChanged: (
                    "メールアドレスの変更", "Kanbase アカウントのメールアドレスが変更されました。以前のアドレスであるこちらには、今後メールを送りません。"
                ),
                .addressWanted: (
                    "メールアドレスの使用依頼",
                    "このアドレスを別の Kanbase アカウントで使う依頼がありました。アドレスは現在のアカウントのままで、何もする必要はありません。"
                ),
            ],
            device: "端末", network: "ネットワーク", time: "時刻",
            lock:
                "ご本人の操作であれば、何もする必要はありません。心当たりがない場合は、リンクまたは次のコードでアカウントをロックしてください。すべての端末がログアウトされ、メールでパスワードを再設定するまで使えなくなります。",
            week: "コードは一週間、一度だけ有効です。",
            halfHour: "コードは 30 分間、一度だけ有効です。心当たりがない場合は、何もしないでください。")
    }
}
