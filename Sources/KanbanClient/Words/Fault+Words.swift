import Foundation
import Kanban

extension Fault {
    /// What to change, in the device's language, if the library speaks it.
    public var message: String { message(in: .preferred) }

    /// What to change, in a sentence for an alert. Holds none of the user's texts.
    public func message(in language: Language) -> String {
        if let refusal = AccountRefusal(.invalid([self]), next: nil) { return refusal.message(in: language) }
        if let whole = whole[language] { return whole }
        let member = label
        let rest = rest
        switch language {
        case .en: return "\(member.en) \(rest.en)"
        case .ko: return "\(member.ko.withTopic) \(rest.ko)"
        case .ja: return "\(member.ja)は\(rest.ja)"
        }
    }

    /// The most, or for `too_short` the fewest, characters of the member, where the rules have such a limit.
    public var limit: Int? {
        switch (member, code, kind) {
        case ("title", "too_long", .task?): TaskLimits.title
        case ("title", "too_long", .dday?): DDayLimits.title
        case ("body", "too_long", _): TaskLimits.body
        case ("name", "too_long", .category?), ("categoryName", "too_long", _): CategoryLimits.name
        case ("displayName", "too_long", _), ("device", "too_long", _): AccountLimits.name
        case ("password", "too_long", _), ("newPassword", "too_long", _): AccountLimits.password.upperBound
        case ("password", "too_short", _), ("newPassword", "too_short", _): AccountLimits.password.lowerBound
        default: nil
        }
    }

    /// The last part of the pointer; empty for the whole value.
    private var member: String { pointer.split(separator: "/").dropFirst().last.map(String.init) ?? "" }

    private var label: Words {
        switch member {
        case "title": Words("The title", "제목", "タイトル")
        case "body": Words("The text", "내용", "本文")
        case "status": Words("The column", "상태", "ステータス")
        case "dueDate": Words("The due date", "마감일", "期限")
        case "date": Words("The date", "날짜", "日付")
        case "name", "displayName": Words("The name", "이름", "名前")
        case "categoryName": Words("The name of the category", "분류 이름", "カテゴリーの名前")
        case "categoryId": Words("The category", "분류", "カテゴリー")
        case "color": Words("The color", "색", "色")
        case "emoji": Words("The emoji", "이모지", "絵文字")
        case "image": Words("The picture", "사진", "画像")
        case "": ofWhole
        case "email": Words("The e-mail address", "이메일 주소", "メールアドレス")
        case "password": Words("The password", "비밀번호", "パスワード")
        case "newPassword": Words("The new password", "새 비밀번호", "新しいパスワード")
        case "invitation": Words("The invitation", "초대 코드", "招待コード")
        case "code": Words("The code", "코드", "コード")
        case "device": Words("The name of the device", "기기 이름", "デバイスの名前")
        case "timeZone": Words("The time zone", "시간대", "タイムゾーン")
        case "locale": Words("The language", "언어", "言語")
        case "custom": Words("The app's settings", "앱 설정", "アプリの設定")
        case "recurrence", "rule": Words("The repetition", "반복", "繰り返し")
        case "server": Words("The server's address", "서버 주소", "サーバーのアドレス")
        case "expiresAt": Words("The end", "만료일", "有効期限")
        case "reminders": Words("The reminders", "알림", "リマインダー")
        case "allDayTime": Words("The time of day", "시각", "時刻")
        case "digest": Words("The time of the mail", "메일 시각", "メールの時刻")
        default: Words("\"\(member)\"", "\"\(member)\"", "「\(member)」")
        }
    }

    /// What the fault is of, where it is of no single member.
    private var ofWhole: Words {
        switch kind {
        case .task?: Words("The task", "할 일", "タスク")
        case .category?: Words("The category", "분류", "カテゴリー")
        case .dday?: Words("The D-day", "디데이", "D-Day")
        case .settings?: Words("The settings", "설정", "設定")
        case .image?, nil: Words("The picture", "사진", "画像")
        }
    }

    /// The rest of a sentence that begins with the label.
    private var rest: Words {
        switch code {
        case "blank", "required": return Words("must not be empty.", "비워 둘 수 없습니다.", "空にできません。")
        case "too_long":
            guard let limit else { return Words("is too long.", "너무 깁니다.", "長すぎます。") }
            return Words(
                "may have at most \(limit) characters.", "\(limit)자까지 쓸 수 있습니다.", "\(limit)文字までです。")
        case "too_short":
            guard let limit else { return Words("is too short.", "너무 짧습니다.", "短すぎます。") }
            return Words(
                "must have at least \(limit) characters.", "\(limit)자 이상이어야 합니다.", "\(limit)文字以上にしてください。")
        case "control_character":
            return Words(
                "has a character that cannot be saved.", "저장할 수 없는 문자가 있습니다.", "保存できない文字を含んでいます。")
        case "invalid_format": return format
        case "unknown_category", "unknown_image":
            return Words("is not there any more.", "더 이상 없습니다.", "もうありません。")
        default:
            return Words("is not allowed: \(code).", "사용할 수 없습니다(\(code)).", "使えません（\(code)）。")
        }
    }

    private var format: Words {
        switch member {
        case "dueDate", "date", "expiresAt":
            Words("is no day of the calendar.", "달력에 없는 날짜입니다.", "カレンダーにない日付です。")
        case "color": Words("must be written as #3366ff.", "#3366ff처럼 써야 합니다.", "#3366ffのように書いてください。")
        case "emoji": Words("must be one emoji.", "이모지 하나여야 합니다.", "1つの絵文字にしてください。")
        case "image", "":
            Words(
                "must be PNG, JPEG, WebP or HEIC.", "PNG, JPEG, WebP, HEIC 중 하나여야 합니다.",
                "PNG、JPEG、WebP、HEICのいずれかにしてください。")
        case "server":
            Words(
                "must begin with http:// or https://.", "http:// 또는 https://로 시작해야 합니다.",
                "http://またはhttps://で始めてください。")
        default: Words("has not the right form.", "형식이 올바르지 않습니다.", "形式が正しくありません。")
        }
    }

    /// A sentence of its own for what does not begin with a member's name.
    private var whole: [Language: String] {
        let words: Words? =
            switch (member, code) {
            case (_, "name_taken"):
                Words(
                    "There is a category of this name already.", "같은 이름의 분류가 이미 있습니다.",
                    "同じ名前のカテゴリーがすでにあります。")
            case (_, "unknown_neighbour"):
                Words(
                    "The task that it should go beside is not there any more.", "옆에 둘 할 일이 더 이상 없습니다.",
                    "隣に置くタスクがもうありません。")
            case (_, "too_many"):
                Words(
                    "There are as many as there may be. Delete some first.", "더 만들 수 없습니다. 먼저 몇 개를 삭제하세요.",
                    "これ以上作れません。先にいくつか削除してください。")
            case ("", "too_long"):
                Words(
                    "The picture may have at most \(ImageLimits.bytes >> 20) MiB.",
                    "사진은 \(ImageLimits.bytes >> 20)MiB까지 쓸 수 있습니다.", "画像は\(ImageLimits.bytes >> 20)MiBまでです。")
            case ("custom", "too_long"):
                Words(
                    "The app's settings take too much room.", "앱 설정이 너무 큽니다.", "アプリの設定が大きすぎます。")
            case ("server", "not_found"):
                Words(
                    "There is no Kanbase at this address.", "이 주소에 Kanbase 서버가 없습니다.",
                    "このアドレスにKanbaseのサーバーはありません。")
            case ("timeZone", "invalid_value"):
                Words("There is no such time zone.", "그런 시간대는 없습니다.", "そのタイムゾーンはありません。")
            case (_, "recurrence_without_due"):
                Words(
                    "A task that comes back needs a due date.", "반복하는 할 일에는 마감일이 필요합니다.",
                    "繰り返すタスクには期限が必要です。")
            case (_, "invalid_recurrence"):
                Words(
                    "The task cannot come back in this way.", "이렇게 반복할 수 없습니다.", "このようには繰り返せません。")
            case (_, "invalid_reminder"):
                Words(
                    "A task has at most 5 reminders, each at most 30 days before.", "알림은 5개까지, 30일 전까지 정할 수 있습니다.",
                    "リマインダーは5つまで、30日前までです。")
            case ("", "already_exists"):
                Words(
                    "There is one with this id already.", "같은 ID의 항목이 이미 있습니다.", "同じIDのものがすでにあります。")
            case ("", "not_found"):
                Words("It is not there any more.", "더 이상 없습니다.", "もうありません。")
            case ("", "rolled_back"):
                Words(
                    "It was not saved because another change was refused.", "다른 변경이 거절되어 저장하지 않았습니다.",
                    "ほかの変更が拒否されたため、保存されませんでした。")
            case (_, "quota_exceeded"): .accountFull
            case ("file", "damaged"):
                Words(
                    "The file of the board was damaged. Something that only this device had is lost.",
                    "보드 파일이 손상되어 이 기기에만 있던 내용 일부를 잃었습니다.",
                    "ボードのファイルが壊れ、このデバイスだけにあった内容の一部が失われました。")
            default: nil
            }
        guard let words else { return [:] }
        return [.en: words.en, .ko: words.ko, .ja: words.ja]
    }
}

extension [Fault] {
    /// What to change, one sentence for each fault, in the device's language.
    public var message: String { message(in: .preferred) }

    public func message(in language: Language) -> String {
        map { $0.message(in: language) }.joined(separator: language == .ja ? "" : " ")
    }
}
