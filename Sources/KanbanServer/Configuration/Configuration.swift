import Kanban
import KanbanAccess
import KanbanPostgres
import KanbanWire
import Mail

/// All that a person can choose, with its defaults. Immutable once the process has read its arguments.
struct Configuration: Sendable, Equatable {
    enum Auth: String, Sendable, CaseIterable {
        /// No log-in: every request is the built-in account.
        case open
        /// Every request needs a token.
        case required
    }

    enum LogFormat: String, Sendable, CaseIterable {
        case text, json
    }

    var host = "127.0.0.1"
    /// 0 takes a free one.
    var port = 8080
    var data = "./kanbase-data"
    /// A PostgreSQL database instead of the directory.
    var database: String?
    /// The database itself, where ``database`` is a pooler.
    var databaseDirect: String?
    var databaseLanes = 4
    var databaseReaders = 8
    var databaseNotify = PostgresConfiguration.Notify.auto
    var databaseDurability = PostgresConfiguration.Durability.asynchronous
    var databasePrepare = Switch.on

    enum Switch: String, Sendable, CaseIterable {
        case on, off
    }

    /// How many event loops; `nil` takes one a processor.
    var loops: Int?
    /// IANA name.
    var timeZone = "UTC"

    /// `nil`: ``Auth/open`` on a loopback address, ``Auth/required`` on any other.
    var auth: Auth?
    var signUp = SignUpPolicy.open
    /// Sign-in providers.
    var oidc: [Provider] = []
    /// A file of certificates to verify issuers by; `nil` are the system's.
    var oidcAuthorities: String?
    /// Origins that browsers may call from; none turns CORS off.
    var corsOrigins: [String] = []
    /// Addresses of proxies whose `X-Forwarded-For` is believed.
    var trustedProxies: [String] = []
    /// Requests a second under ``Auth/required``; 0 turns the limit off.
    var rateLimit = 50
    /// How many requests may come at once.
    var rateBurst = 200
    /// What the data of an account may take under ``Auth/required``.
    var accountBytes = 256 << 20
    /// Those in the trash included.
    var accountTasks = 100_000

    var trashDays = 30
    var tombstoneDays = 90
    var historyDays = 365

    var maxConnections = 16_384
    /// Under ``Auth/required``; 0: as many as all may have together.
    var connectionsPerAddress = 4_096
    /// Bytes.
    var bodyLimit = 1 << 20
    /// Bytes.
    var headerLimit = 16 << 10
    /// Bytes.
    var targetLimit = 8 << 10
    var headTimeout = Duration.seconds(10)
    var bodyTimeout = Duration.seconds(30)
    var idleTimeout = Duration.seconds(75)
    var writeTimeout = Duration.seconds(30)
    var jsonDepth = 64
    /// Bytes held for all clients together.
    var memoryBudget = 256 << 20
    /// Bytes of these for one account or address.
    var memoryShare = 32 << 20

    /// An Open-Meteo compatible service; `nil` turns the weather off.
    var weatherURL: String?
    /// The server's address for people, in mails and invitations; `nil` is the one that it listens on.
    var publicURL: String?
    /// A mail server; `nil` turns mail off.
    var mailURL: String?
    /// Whom mails are from; `nil` is `kanbase` at the host of the public address.
    var mailFrom: String?
    /// `nil`: required, but on a loopback address only where it is offered.
    var mailStartTLS: MailServer.StartTLS?
    /// A file of certificates; `nil` are the system's.
    var mailAuthorities: String?
    var tlsCertificate: String?
    var tlsKey: String?

    var logFormat = LogFormat.text
    var logLevel = LogLevel.info

    /// What only the commands of an administrator ask for.
    var administration = Administration()

    /// What a limit of accounts may be.
    static let accountBytesRange = 1 << 20...1 << 40
    static let accountTasksRange = 1...100_000_000

    /// A limit of one account.
    enum LimitChoice: Sendable, Equatable {
        /// The server's.
        case standard
        case own(Int)
    }

    struct Administration: Sendable, Equatable {
        /// `check`: rewrite the file without what was erased.
        var vacuum = false
        /// `import`
        var mode = ImportMode.merge
        /// `import`: report, change nothing.
        var dryRun = false
        /// `export`
        var format = BoardExport.Format.json
        /// Whose: an e-mail address; `nil` is the built-in account.
        var account: String?
        /// All that show something.
        var json = false
        /// `account quota`: `nil` leaves it as it is.
        var bytesLimit: LimitChoice?
        var tasksLimit: LimitChoice?
        /// `invite`: who may use it.
        var invitee: String?
        /// `account add`
        var displayName: String?
        /// `token add`
        var tokenName: String?
        /// `token add`
        var scope = AccessToken.Scope.full
        /// `token add`: days; `nil` never ends. `invite`: `nil` is a week.
        var expiresInDays: Int?
    }

    /// Who may come in, the default by address included.
    var effectiveAuth: Auth {
        auth ?? (isLoopback ? .open : .required)
    }

    /// True when only this machine can reach the server.
    var isLoopback: Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
