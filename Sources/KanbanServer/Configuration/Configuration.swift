import Kanban
import KanbanAPI
import KanbanAccess
import KanbanPostgres
import Mail

/// All settings with their defaults. Immutable after the arguments are parsed.
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
    /// 0 chooses a free port.
    var port = 8080
    var data = "./kanbase-data"
    /// A PostgreSQL database instead of the directory.
    var database: String?
    /// The database itself, where ``database`` is a pooler.
    var databaseDirect: String?
    var databaseLanes = 2
    var databaseGroup = 32
    var databaseReaders = 8
    var databaseNotify = PostgresConfiguration.Notify.auto
    var databaseDurability = PostgresConfiguration.Durability.asynchronous
    var databasePrepare = Switch.on

    enum Switch: String, Sendable, CaseIterable {
        case on, off
    }

    /// The number of event loops; `nil`: one for each processor.
    var loops: Int?
    /// IANA name.
    var timeZone = "UTC"

    /// `nil`: ``Auth/open`` on a loopback address, ``Auth/required`` on any other.
    var auth: Auth?
    var signUp = SignUpPolicy.open
    /// Sign-in providers.
    var oidc: [Provider] = []
    /// A file of trusted certificates for issuers; `nil`: the system's.
    var oidcAuthorities: String?
    /// Origins of web pages that may call the API; none turns CORS off.
    var corsOrigins: [String] = []
    /// Addresses of proxies whose `X-Forwarded-For` is trusted.
    var trustedProxies: [String] = []
    /// Requests a second under ``Auth/required``; 0 turns the limit off.
    var rateLimit = 50
    /// The burst of the rate limit.
    var rateBurst = 200
    /// The most bytes of an account's data under ``Auth/required``.
    var accountBytes = 256 << 20
    /// The most tasks of an account, including those in the trash.
    var accountTasks = 100_000

    var trashDays = 30
    var tombstoneDays = 90
    var historyDays = 365

    var maxConnections = 16_384
    /// Under ``Auth/required``; 0: no limit of its own.
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
    /// The most bytes of memory for all requests together.
    var memoryBudget = 256 << 20
    /// The most of these bytes for one account or address.
    var memoryShare = 32 << 20

    /// An Open-Meteo compatible service; `nil` turns the weather off.
    var weatherURL: String?
    /// The public address of the server, for mails and invitations; `nil`: the address that it listens on.
    var publicURL: String?
    /// A mail server; `nil` turns mail off.
    var mailURL: String?
    /// The sender of mails; `nil`: `kanbase` at the host of the public address.
    var mailFrom: String?
    /// `nil`: required; on a loopback address used if offered.
    var mailStartTLS: MailServer.StartTLS?
    /// A file of trusted certificates; `nil`: the system's.
    var mailAuthorities: String?
    var tlsCertificate: String?
    var tlsKey: String?

    var logFormat = LogFormat.text
    var logLevel = LogLevel.info

    /// The options of the operator's commands.
    var administration = Administration()

    /// The range of account limits.
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
        /// The e-mail address of an account; `nil`: the built-in account.
        var account: String?
        /// All commands with output.
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

    /// The mode of access, with its default by address.
    var effectiveAuth: Auth {
        auth ?? (isLoopback ? .open : .required)
    }

    /// True when only this machine can reach the server.
    var isLoopback: Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
