import KanbanAccess

extension Option {
    /// All options.
    static let all: [Option] = server + access + retention + limits + logging + administration

    private static let server: [Option] = [
        Option(
            "host", \.host, .host, in: .server, of: [.serve, .health],
            "The address to listen on; 0.0.0.0 or :: for all."),
        Option(
            "port", \.port, .number(0...65_535, "PORT"), in: .server, of: [.serve, .health],
            "The port to listen on; 0 takes a free one."),
        Option(
            "data", \.data, .text("DIRECTORY", "a directory"), in: .server, of: Command.onData,
            "Where the data lives; made when missing."),
        Option(
            secret: "database", \.database, OptionValue.database.optional(), in: .server, of: Command.onDatabase,
            "A PostgreSQL database, instead of --data, that other servers may use too; better in KANBASE_DATABASE."),
        Option(
            secret: "database-direct", \.databaseDirect, OptionValue.database.optional(), in: .server, of: [.serve],
            "The same database without the pooler that --database names, for notifications."),
        Option(
            "database-lanes", \.databaseLanes, .number(1...64), in: .server, of: [.serve],
            "How many connections write to the database."),
        Option(
            "database-readers", \.databaseReaders, .number(1...256), in: .server, of: [.serve],
            "How many connections read from the database."),
        Option(
            "database-notify", \.databaseNotify, .name, in: .server, of: [.serve],
            "How a server hears of changes by others: by notifications, or by looking 5 times a second."),
        Option(
            "database-durability", \.databaseDurability, .name, in: .server, of: [.serve],
            "What a failover may lose: the last commits, so that clients pull anew after it, or nothing."),
        Option(
            "database-prepare", \.databasePrepare, .name, in: .server, of: [.serve],
            "Keep statements prepared; off behind a pooler that gives each transaction another session."),
        Option(
            "loops", \.loops, OptionValue.number(1...256).optional(unset: "processors"), in: .server, of: [.serve],
            "How many event loops serve connections."),
        Option(
            "time-zone", \.timeZone, .timeZone, in: .server, of: [.serve],
            "The time zone of accounts that have not chosen one."),
        Option(
            "weather-url", \.weatherURL, OptionValue.url.optional(), in: .server, of: [.serve],
            "An Open-Meteo compatible service; without it the weather is off."),
        Option(
            "public-url", \.publicURL, OptionValue.url.optional(unset: "by address"), in: .server,
            of: [.serve, .invite], "The server's address for people, in the links of mails and invitations."),
        Option(
            "tls-certificate", \.tlsCertificate, OptionValue.text("FILE", "a file").optional(), in: .server,
            of: [.serve, .health], "Serve HTTPS with this certificate chain (PEM); SIGHUP reads it again."),
        Option(
            "tls-key", \.tlsKey, OptionValue.text("FILE", "a file").optional(), in: .server, of: [.serve],
            "The private key of the certificate (PEM)."),
    ]

    private static let access: [Option] = [
        Option(
            "auth", \.auth, OptionValue.name.optional(unset: "by address"), in: .access, of: [.serve],
            "open: no log-in, one board; required: accounts. Open on a loopback address, else required."),
        Option(
            "signup", \.signUp, .name, in: .access, of: [.serve],
            "Who may make an account: anybody, who has an invitation, or nobody but `kanbase account add`."),
        Option(
            provider: "oidc", \.oidc, in: .access, of: [.serve],
            "A sign-in provider by OpenID Connect, apple and google without ISSUER; may be given several times."),
        Option(
            "oidc-ca", \.oidcAuthorities, OptionValue.text("FILE", "a file").optional(),
            in: .access, of: [.serve], "Certificates (PEM) to verify issuers by, instead of the system's."),
        Option(
            "mail-url", \.mailURL, OptionValue.mailServer.optional(), in: .access, of: [.serve],
            "A mail server, with name and password if it wants them; without it no mail is sent."),
        Option(
            "mail-from", \.mailFrom, OptionValue.email.optional(),
            in: .access,
            of: [.serve], "The sender of mails; else kanbase@ the host of --public-url."),
        Option(
            "mail-starttls", \.mailStartTLS, OptionValue.name.optional(unset: "by address"), in: .access, of: [.serve],
            "Encryption of smtp:// addresses: required, but on a loopback address offered."),
        Option(
            "mail-ca", \.mailAuthorities, OptionValue.text("FILE", "a file").optional(),
            in: .access, of: [.serve], "Certificates (PEM) to verify the mail server by, instead of the system's."),
        Option(
            each: "cors-origin", \.corsOrigins, .origin, in: .access, of: [.serve],
            "A web origin whose pages may call; may be given several times."),
        Option(
            each: "trusted-proxy", \.trustedProxies, .address, in: .access, of: [.serve],
            "A proxy whose X-Forwarded-For tells who asks; may be given several times."),
        Option(
            "rate-limit", \.rateLimit, .number(0...1_000_000), in: .access, of: [.serve],
            "Requests a second of an account, or of an address without one, when accounts are required; 0: no limit."),
        Option(
            "rate-burst", \.rateBurst, .number(1...1_000_000), in: .access, of: [.serve],
            "How many of them may come at once."),
        Option(
            "account-bytes", \.accountBytes, .size(Configuration.accountBytesRange), in: .access, of: [.serve],
            "What an account's data may take, when accounts are required (507); history and images count too."),
        Option(
            "account-tasks", \.accountTasks, .number(Configuration.accountTasksRange), in: .access, of: [.serve],
            "How many tasks an account may have, when accounts are required (507); those in the trash count too."),
    ]

    private static let retention: [Option] = [
        Option(
            "trash-days", \.trashDays, .number(1...36_500, "DAYS"), in: .retention, of: [.serve],
            "How long deleted tasks can be restored."),
        Option(
            "tombstone-days", \.tombstoneDays, .number(1...36_500, "DAYS"), in: .retention, of: [.serve],
            "How long a client may stay away and still sync without starting over; not less than --trash-days."),
        Option(
            "history-days", \.historyDays, .number(1...36_500, "DAYS"), in: .retention, of: [.serve],
            "How long the history of tasks is kept."),
    ]

    private static let limits: [Option] = [
        Option(
            "max-connections", \.maxConnections, .number(1...1_000_000), in: .limits, of: [.serve],
            "Connections at a time, as far as descriptors go; one more is answered 503."),
        Option(
            "connections-per-address", \.connectionsPerAddress, .number(0...1_000_000), in: .limits, of: [.serve],
            "Connections of one address at a time, when accounts are required; 0: no limit of its own."),
        Option(
            "body-limit", \.bodyLimit, .size(1024...1 << 30), in: .limits, of: [.serve],
            "The largest request body (413)."),
        Option(
            "header-limit", \.headerLimit, .size(1024...1 << 16), in: .limits, of: [.serve],
            "The largest header section of a request (431)."),
        Option(
            "target-limit", \.targetLimit, .size(256...1 << 16), in: .limits, of: [.serve],
            "The longest request target (414)."),
        Option(
            "head-timeout", \.headTimeout, .time, in: .limits, of: [.serve],
            "For a request's head to arrive, on a new connection with the handshake (408)."),
        Option("body-timeout", \.bodyTimeout, .time, in: .limits, of: [.serve], "For a body without progress."),
        Option(
            "idle-timeout", \.idleTimeout, .time, in: .limits, of: [.serve],
            "For a kept-alive connection between requests."),
        Option("write-timeout", \.writeTimeout, .time, in: .limits, of: [.serve], "For a reader that takes nothing."),
        Option(
            "memory-budget", \.memoryBudget, .size(1 << 20...1 << 40), in: .limits, of: [.serve],
            "Bodies being read and answers not yet taken, of all clients (503)."),
        Option(
            "memory-share", \.memoryShare, .size(1 << 18...1 << 40), in: .limits, of: [.serve],
            "The part of it for one account, or for one address without an account (503)."),
        Option(
            "json-depth", \.jsonDepth, .number(4...512), in: .limits, of: [.serve], "How deep JSON may be nested (400)."
        ),
    ]

    private static let logging: [Option] = [
        Option(
            "log-format", \.logFormat, .name, in: .logging, of: [.serve], "How the lines on standard error look."),
        Option(
            "log-level", \.logLevel, .name, in: .logging, of: [.serve],
            "The least that is logged; requests are info."),
    ]

    private static let administration: [Option] = [
        Option(
            flag: "json", \.administration.json,
            of: [.accountList, .accountShow, .accountEvents, .accountDisable, .accountEnable, .accountQuota, .invite],
            "Print JSON, for scripts."),
        Option(
            "email", \.administration.invitee, OptionValue.email.optional(), in: .command,
            of: [.invite], "Who may use the invitation."),
        Option(
            "bytes", \.administration.bytesLimit,
            OptionValue.size(Configuration.accountBytesRange).orDefault().optional(), in: .command,
            of: [.accountQuota], "What the account's data may take; default: --account-bytes of the server."),
        Option(
            "tasks", \.administration.tasksLimit,
            OptionValue.number(Configuration.accountTasksRange).orDefault().optional(), in: .command,
            of: [.accountQuota], "How many tasks it may have; default: --account-tasks of the server."),
        Option(flag: "vacuum", \.administration.vacuum, of: [.check], "Rewrite the file without what was erased."),
        Option(
            "mode", \.administration.mode, .name, in: .command, of: [.importBoard],
            "merge: the newer of each wins; replace: what is there goes."),
        Option(flag: "dry-run", \.administration.dryRun, of: [.importBoard], "Only report what would happen."),
        Option("format", \.administration.format, .name, in: .command, of: [.exportBoard], "csv holds the tasks only."),
        Option(
            "account", \.administration.account,
            OptionValue.text("EMAIL", "an e-mail address").optional(unset: "local"),
            in: .command, of: [.exportBoard, .importBoard],
            "Whose board; without it that of `--auth open`."),
        Option(
            "display-name", \.administration.displayName, OptionValue.text("NAME").optional(), in: .command,
            of: [.accountAdd], "How the account is shown."),
        Option(
            "name", \.administration.tokenName, OptionValue.text("NAME").optional(unset: "command line"), in: .command,
            of: [.tokenAdd], "What the token is for."),
        Option(
            "scope", \.administration.scope, .name, in: .command, of: [.tokenAdd], "What the token may do."),
        Option(
            "expires", \.administration.expiresInDays, OptionValue.number(1...36_500, "DAYS").optional(unset: "never"),
            in: .command, of: [.tokenAdd, .invite], "When it ends, in days from now; an invitation after 7."),
    ]
}
