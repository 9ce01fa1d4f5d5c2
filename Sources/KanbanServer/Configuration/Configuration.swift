import Kanban
import KanbanAPI
import KanbanAccess
import KanbanPostgres
import Mail
import Sockets

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
    var databaseReaders = 8
    var databaseNotify = PostgresConfiguration.Notify.auto
    var databaseDurability = PostgresConfiguration.Durability.asynchronous
    var databasePrepare = Switch.on

    enum Switch: String, Sendable, CaseIterable {
        case on, off
    }

    /// IANA name.
    var timeZone = "UTC"

    /// `nil`: ``Auth/open`` on a loopback address, ``Auth/required`` on any other.
    var auth: Auth?
    var signUp = SignUpPolicy.open
    /// Sign-in providers.
    var oidc: [Provider] = []
    /// A file of trusted certificates for issuers; `nil`: the system's.
    var oidcAuthorities: String?
    /// The team of developers at Apple, and its key, with which the server speaks to Apple; all or none.
    var appleTeam: String?
    var appleKeyID: String?
    /// A file of the private key (PEM).
    var appleKeyFile: String?
    /// Origins of web pages that may call the API; none turns CORS off.
    var corsOrigins: [String] = []
    /// Addresses and networks of proxies whose `X-Forwarded-For` is trusted.
    var trustedProxies: [String] = []
    /// The listener of `/metrics` without a token; `nil`: none.
    var metrics: SocketAddress?
    /// Requests a second under ``Auth/required``; 0 turns the limit off.
    var rateLimit = 50
    /// The burst of the rate limit.
    var rateBurst = 200
    /// The most bytes of an account's data under ``Auth/required``.
    var accountBytes = 256 << 20
    /// The most tasks of an account, including those in the trash.
    var accountTasks = 100_000
    /// Free bytes of the disk below which nobody can sign up.
    var diskReserve = 512 << 20

    var trashDays = 30
    var tombstoneDays = 90
    var historyDays = 365

    var maxConnections = 16_384
    /// Under ``Auth/required``; 0: no limit of its own.
    var connectionsPerAddress = 4_096
    /// Bytes.
    var bodyLimit = 1 << 20
    var idleTimeout = Duration.seconds(75)
    /// The most bytes of memory for all requests together.
    var memoryBudget = 256 << 20

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
    /// The team at Apple and its key for notifications; all or none, with ``apnsTopics``.
    var apnsTeam: String?
    var apnsKeyID: String?
    /// A file of the private key (PEM).
    var apnsKeyFile: String?
    /// Bundle ids of apps.
    var apnsTopics: [String] = []
    /// A stand-in; `nil`: Apple.
    var apnsURL: String?
    /// `nil`: on with a ``publicURL`` that push services accept.
    var webPush: Switch?
    /// Push services besides those of browsers: `host` or `host:port`.
    var webPushServices: [String] = []
    /// A file of trusted certificates; `nil`: the system's.
    var pushAuthorities: String?
    var pushContent = PushSenders.Content.ids
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
        /// `import`
        var from = ImportOrigin.board(.kanbase)
        /// `import`: the name of a file with Firebase's hash parameters.
        var hashParameters: String?
        /// `import`: the name of the key file of a service account, the collection to read with it, and a stand-in for Google.
        var serviceAccount: String?
        var collection: String?
        var firestoreURL: String?
        /// `import`: the name of a file with rules, or rules.
        var map: String?
        /// `import`: cut what is too long.
        var truncates = false
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
