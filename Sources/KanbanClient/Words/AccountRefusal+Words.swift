import Foundation

extension AccountRefusal {
    /// What happened, in the device's language, if the library speaks it.
    public var message: String { message(in: .preferred) }

    /// What happened and what to do, in a sentence for an alert.
    public func message(in language: Language) -> String { words.text(in: language) }

    private var words: Words {
        switch self {
        case .wrongPassword:
            Words(
                "The e-mail address or the password is wrong.", "이메일 주소 또는 비밀번호가 틀렸습니다.",
                "メールアドレスまたはパスワードが違います。")
        case .tooManyRequests(let until):
            switch until.map({ max(1, Int($0.timeIntervalSinceNow.rounded(.up))) }) {
            case nil:
                Words(
                    "Too many attempts. Try again later.", "시도가 너무 많습니다. 나중에 다시 시도하세요.",
                    "試行回数が多すぎます。あとでもう一度お試しください。")
            case let seconds? where seconds < 120:
                Words(
                    "Too many attempts. Try again in \(seconds) \(seconds == 1 ? "second" : "seconds").",
                    "시도가 너무 많습니다. \(seconds)초 뒤에 다시 시도하세요.", "試行回数が多すぎます。\(seconds)秒後にもう一度お試しください。")
            case let seconds?:
                Words(
                    "Too many attempts. Try again in \((seconds + 59) / 60) minutes.",
                    "시도가 너무 많습니다. \((seconds + 59) / 60)분 뒤에 다시 시도하세요.",
                    "試行回数が多すぎます。\((seconds + 59) / 60)分後にもう一度お試しください。")
            }
        case .emailTaken:
            Words(
                "There is an account with this e-mail address already.", "이 이메일 주소의 계정이 이미 있습니다.",
                "このメールアドレスのアカウントはすでにあります。")
        case .linkRequired:
            Words(
                "There is an account with this e-mail address. Log in with its password, then link this sign-in.",
                "이 이메일 주소의 계정이 이미 있습니다. 비밀번호로 로그인한 다음 연결하세요.",
                "このメールアドレスのアカウントがあります。パスワードでログインしてから連携してください。")
        case .identityTaken:
            Words(
                "This sign-in opens another account.", "이 로그인은 다른 계정에 연결되어 있습니다.",
                "このサインインは別のアカウントに連携されています。")
        case .lastWayIn:
            Words(
                "Nothing else opens the account. Set a password first.", "다른 로그인 방법이 없습니다. 먼저 비밀번호를 설정하세요.",
                "ほかにログインする方法がありません。先にパスワードを設定してください。")
        case .otherAccount:
            Words(
                "This sign-in is that of another account.", "다른 계정의 로그인입니다.", "別のアカウントのサインインです。")
        case .freshSessionRequired:
            Words("Sign in again first.", "먼저 다시 로그인하세요.", "先にもう一度サインインしてください。")
        case .codeInvalid:
            Words(
                "The code is wrong, used or too old. Ask for a new one.", "코드가 틀렸거나 이미 쓰였거나 오래되었습니다. 새로 받으세요.",
                "コードが違うか、使用済みか、古すぎます。新しいコードを受け取ってください。")
        case .tokenInvalid:
            Words(
                "The sign-in was not accepted. Sign in again.", "로그인이 받아들여지지 않았습니다. 다시 로그인하세요.",
                "サインインが受け付けられませんでした。もう一度サインインしてください。")
        case .unknownProvider:
            Words(
                "The server does not take this sign-in.", "서버가 이 로그인 방법을 지원하지 않습니다.",
                "サーバーはこのサインインに対応していません。")
        case .signUpClosed:
            Words("The server takes no new accounts.", "서버가 새 계정을 받지 않습니다.", "サーバーは新しいアカウントを受け付けていません。")
        case .invitationRequired:
            Words("You need an invitation.", "초대가 필요합니다.", "招待が必要です。")
        case .invitationUsed:
            Words("The invitation was used already.", "이미 사용된 초대입니다.", "この招待は使用済みです。")
        case .accountLocked:
            Words(
                "The account is locked. Reset the password to open it.", "계정이 잠겼습니다. 비밀번호를 재설정하면 열립니다.",
                "アカウントはロックされています。パスワードをリセットすると開きます。")
        case .accountDisabled:
            Words(
                "The account was closed by the server's operator.", "서버 운영자가 계정을 정지했습니다.",
                "アカウントはサーバーの管理者によって停止されました。")
        case .accountsOff:
            Words("The server has no accounts.", "계정이 없는 서버입니다.", "このサーバーにアカウントはありません。")
        case .mailOff:
            Words("The server sends no mails.", "메일을 보내지 않는 서버입니다.", "このサーバーはメールを送りません。")
        case .sessionRequired:
            Words("Log in for this.", "이 작업은 로그인해야 할 수 있습니다.", "この操作にはログインが必要です。")
        }
    }
}
