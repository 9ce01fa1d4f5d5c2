import HTTP
import Kanban
import KanbanAccess

/// The end of the mails of what is due, behind the link in each of them. It needs no log-in: mail programs follow it for their
/// user (RFC 8058). It takes any query beside its code: what sends mails adds parameters to their links.
package struct DigestRoutes: Sendable {
    package init() {}

    package var routes: [Route] {
        [
            Route(.get, "/digest/end", "showDigestEnd", audience: .everyone, ignoresQuery: true, show),
            Route(.post, "/digest/end", "endDigest", audience: .everyone, ignoresQuery: true, end),
        ]
    }

    /// Asks first: programs that look at the links of a mail send a GET.
    private func show(_ call: Call) -> Response { .digestQuestion }

    /// The body says `List-Unsubscribe=One-Click`, which the method says already.
    private func end(_ call: Call) async throws -> Response {
        let accounts = try call.requireAccounts()
        let code = call.request.queryItems.first { $0.name == "code" }?.value
        let account = try await accounts.accountOfDigest(code: code ?? "")
        let change: Call.Change<Void> = { board in
            guard try board.settings().digest != nil else { return }
            _ = try board.updateSettings(if: .none) { $0.digest = nil }
        }
        try await call.store.write(account, session: nil, change)
        return .digestEnded
    }
}

extension Response {
    fileprivate static let digestQuestion = notice(
        status: 200, title: "No more mails of what is due?",
        """
        <p lang="ko">할 일 메일을 그만 받으시겠습니까?</p>
        <p lang="ja">期限のメールを停止しますか。</p>
        <form method="post"><button>Unsubscribe · <span lang="ko">수신 거부</span> · <span lang="ja">配信停止</span></button></form>
        """)

    fileprivate static let digestEnded = notice(
        status: 200, title: "You get no more mails of what is due",
        """
        <p lang="ko">이제 할 일 메일을 보내지 않습니다. 설정에서 다시 받을 수 있습니다.</p>
        <p lang="ja">今後、期限のメールは送信しません。設定で再開できます。</p>
        <p>The settings of <a href="/">the board</a> turn them on again.</p>
        """)
}
