import KanbanAccess

extension Option {
    /// All options.
    static let all: [Option] = server + access + push + retention + limits + logging + administration

    /// Names that were options before they became constants, with what to do instead.
    static let former = [
        "database-group": "a transaction has at most 32 accounts",
        "loops": "one loop for each processor; restrict the processors of the process instead",
        "header-limit": "16 KiB",
        "target-limit": "8 KiB",
        "head-timeout": "10 seconds",
        "body-timeout": "30 seconds",
        "write-timeout": "30 seconds",
        "memory-share": "32 MiB; --memory-budget bounds all clients together",
        "json-depth": "64 levels",
    ]

    private static let server: [Option] = [
        Option(
            "host", \.host, .host, in: .server, of: [.serve, .health],
            "The address to listen on; 0.0.0.0 or :: for all."),
        Option(
            "port", \.port, .number(0...65_535, "PORT"), in: .server, of: [.serve, .health],
            "The port to listen on; 0 chooses a free one."),
        Option(
            "data", \.data, .directory, in: .server, of: Command.onData,
            "The directory of the data; created if missing."),
        Option(
            secret: "database", \.database, OptionValue.database.optional(), in: .server, of: Command.onDatabase,
            "A PostgreSQL database instead of --data, which other servers may share; better in KANBASE_DATABASE."),
        Option(
            secret: "database-direct", \.databaseDirect, OptionValue.database.optional(), in: .server, of: [.serve],
            "The same database without a pooler, for notifications."),
        Option(
            "database-lanes", \.databaseLanes, .number(1...64), in: .server, of: [.serve],
            "How many connections write to the database."),
        Option(
            "database-readers", \.databaseReaders, .number(1...256), in: .server, of: [.serve],
            "How many connections read from the database."),
        Option(
            "database-notify", \.databaseNotify, .name, in: .server, of: [.serve],
            "How a server learns of changes by others: by notifications, or by polling 5 times a second."),
        Option(
            "database-durability", \.databaseDurability, .name, in: .server, of: Command.onDatabase,
            "What a failover may lose: the last commits, after which clients pull everything again, or nothing."),
        Option(
            "database-prepare", \.databasePrepare, .name, in: .server, of: [.serve],
            "Keep statements prepared; off behind a pooler in transaction mode."),
        Option(
            "time-zone", \.timeZone, .timeZone, in: .server, of: [.serve, .importBoard],
            "The time zone of accounts that have not chosen one."),
        Option(
            secret: "weather-url", \.weatherURL, OptionValue.url.optional(), in: .server, of: [.serve],
            "An Open-Meteo compatible service; without it the weather is off."),
        Option(
            "public-url", \.publicURL, OptionValue.url.optional(unset: "by address"), in: .server,
            of: [.serve, .invite], "The public address of the server, for links in mails and invitations."),
        Option(
            "tls-certificate", \.tlsCertificate, OptionValue.text("FILE", "a file").optional(), in: .server,
            of: [.serve, .health], "Serve HTTPS with this certificate chain (PEM); SIGHUP reloads it."),
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
            "Who may create an account: everybody, callers with an invitation, or only `kanbase account add`."),
        Option(
            provider: "oidc", \.oidc, in: .access, of: [.serve],
            "A sign-in provider with OpenID Connect; apple and google need no ISSUER; the board uses the first CLIENT_ID; may be repeated."
        ),
        Option(
            "oidc-ca", \.oidcAuthorities, OptionValue.text("FILE", "a file").optional(),
            in: .access, of: [.serve], "Trusted certificates (PEM) for issuers, instead of the system's."),
        Option(
            "apple-team", \.appleTeam, OptionValue.appleIdentifier.optional(), in: .access, of: [.serve],
            "Apple's identifier of your team, so that deletions end a Sign in with Apple; with the next two."),
        Option(
            "apple-key-id", \.appleKeyID, OptionValue.appleIdentifier.optional(), in: .access, of: [.serve],
            "Apple's identifier of the key."),
        Option(
            "apple-key", \.appleKeyFile, OptionValue.text("FILE", "a file").optional(), in: .access, of: [.serve],
            "The private key for Sign in with Apple, the .p8 file from Apple's developer site."),
        Option(
            secret: "mail-url", \.mailURL, OptionValue.mailServer.optional(), in: .access, of: [.serve],
            "A mail server, with user and password if it needs them; without it no mail is sent."),
        Option(
            "mail-from", \.mailFrom, OptionValue.email.optional(),
            in: .access,
            of: [.serve], "The sender of mails; default: kanbase@ the host of --public-url."),
        Option(
            "mail-starttls", \.mailStartTLS, OptionValue.name.optional(unset: "by address"), in: .access, of: [.serve],
            "Encryption of smtp:// addresses; default: required, on a loopback address used if offered."),
        Option(
            "mail-ca", \.mailAuthorities, OptionValue.text("FILE", "a file").optional(),
            in: .access, of: [.serve], "Trusted certificates (PEM) for the mail server, instead of the system's."),
        Option(
            each: "cors-origin", \.corsOrigins, .origin, in: .access, of: [.serve],
            "A web origin whose pages may call the API; may be repeated."),
        Option(
            each: "trusted-proxy", \.trustedProxies, .network, in: .access, of: [.serve],
            "A proxy, or a network of proxies (172.18.0.0/16), whose X-Forwarded-For is trusted; may be repeated."),
        Option(
            "metrics", \.metrics, OptionValue.listener.optional(), in: .access, of: [.serve],
            "A listener of its own for /metrics without a token; anyone who reaches it can read them."),
        Option(
            "rate-limit", \.rateLimit, .number(0...1_000_000), in: .access, of: [.serve],
            "Requests a second of an account, or of an address without one, with --auth required; 0: no limit."),
        Option(
            "rate-burst", \.rateBurst, .number(1...1_000_000), in: .access, of: [.serve],
            "How many requests may come at once."),
        Option(
            "account-bytes", \.accountBytes, .size(Configuration.accountBytesRange), in: .access, of: [.serve],
            "The most data of an account, with --auth required (507); history and images count, too."),
        Option(
            "account-tasks", \.accountTasks, .number(Configuration.accountTasksRange), in: .access, of: [.serve],
            "The most tasks of an account, with --auth required (507); those in the trash count, too."),
        Option(
            "disk-reserve", \.diskReserve, .size(0...1 << 50), in: .access, of: [.serve],
            "Free space of the disk of --data below which nobody can sign up (507); 0: no reserve."),
    ]

    private static let push: [Option] = [
        Option(
            "apns-key", \.apnsKeyFile, OptionValue.text("FILE", "a file").optional(), in: .push, of: [.serve],
            "The private key for Apple's push service, the .p8 file from Apple's developer site; with the next three."),
        Option(
            "apns-key-id", \.apnsKeyID, OptionValue.appleIdentifier.optional(), in: .push, of: [.serve],
            "Apple's identifier of the key."),
        Option(
            "apns-team", \.apnsTeam, OptionValue.appleIdentifier.optional(), in: .push, of: [.serve],
            "Apple's identifier of your team."),
        Option(
            each: "apns-topic", \.apnsTopics, .text("BUNDLE", "the bundle id of an app"), in: .push, of: [.serve],
            "The bundle id of your app; may be repeated."),
        Option(
            "apns-url", \.apnsURL, OptionValue.url.optional(), in: .push, of: [.serve],
            "Another address instead of Apple's, for tests; it speaks HTTP/2."),
        Option(
            "web-push", \.webPush, OptionValue.name.optional(unset: "by address"), in: .push, of: [.serve],
            "Notify browsers. It needs an https --public-url with a host that others can look up, and is on with one."),
        Option(
            each: "web-push-service", \.webPushServices, .pushService, in: .push, of: [.serve],
            "A push service besides those of Google, Mozilla, Apple and Microsoft; may be repeated."),
        Option(
            "push-ca", \.pushAuthorities, OptionValue.text("FILE", "a file").optional(), in: .push, of: [.serve],
            "Trusted certificates (PEM) for push services, instead of the system's."),
        Option(
            "push-content", \.pushContent, .name, in: .push, of: [.serve],
            "What push services can read of a reminder: the task's id, or its title. Web Push is encrypted in both cases."
        ),
    ]

    private static let retention: [Option] = [
        Option(
            "trash-days", \.trashDays, .number(1...36_500, "DAYS"), in: .retention, of: [.serve],
            "How long deleted tasks can be restored."),
        Option(
            "tombstone-days", \.tombstoneDays, .number(1...36_500, "DAYS"), in: .retention, of: [.serve],
            "How long a client may be offline and still sync without starting over; --trash-days if that is more."),
        Option(
            "history-days", \.historyDays, .number(1...36_500, "DAYS"), in: .retention, of: [.serve],
            "How long the history of tasks is kept."),
    ]

    private static let limits: [Option] = [
        Option(
            "max-connections", \.maxConnections, .number(1...1_000_000), in: .limits, of: [.serve],
            "The most connections, limited by file descriptors; further ones get a 503."),
        Option(
            "connections-per-address", \.connectionsPerAddress, .number(0...1_000_000), in: .limits, of: [.serve],
            "The most connections of one address, with --auth required; 0: no separate limit."),
        Option(
            "body-limit", \.bodyLimit, .size(1024...1 << 30), in: .limits, of: [.serve],
            "The largest request body (413)."),
        Option(
            "idle-timeout", \.idleTimeout, .time, in: .limits, of: [.serve],
            "The time that a connection may be idle between requests."),
        Option(
            "memory-budget", \.memoryBudget, .size(1 << 20...1 << 40), in: .limits, of: [.serve],
            "Memory for request bodies and unsent answers of all clients (503)."),
    ]

    private static let logging: [Option] = [
        Option(
            "log-format", \.logFormat, .name, in: .logging, of: [.serve], "The format of the lines on standard error."),
        Option(
            "log-level", \.logLevel, .name, in: .logging, of: [.serve],
            "The lowest level that is logged; requests are info."),
    ]

    private static let administration: [Option] = [
        Option(
            flag: "json", \.administration.json,
            of: [
                .accountList, .accountShow, .accountEvents, .accountDisable, .accountEnable, .accountQuota,
                .accountLink,
                .invite,
            ],
            "Print JSON, for scripts."),
        Option(
            "email", \.administration.invitee, OptionValue.email.optional(), in: .command,
            of: [.invite], "Who may use the invitation."),
        Option(
            "bytes", \.administration.bytesLimit,
            OptionValue.size(Configuration.accountBytesRange).orDefault().optional(), in: .command,
            of: [.accountQuota], "The most data of the account; default: --account-bytes of the server."),
        Option(
            "tasks", \.administration.tasksLimit,
            OptionValue.number(Configuration.accountTasksRange).orDefault().optional(), in: .command,
            of: [.accountQuota], "The most tasks of the account; default: --account-tasks of the server."),
        Option(flag: "vacuum", \.administration.vacuum, of: [.check], "Rewrite the file without erased data."),
        Option(
            "mode", \.administration.mode, .name, in: .command, of: [.importBoard],
            "merge: the newer version of each resource wins; add: what is there stays; replace: the document replaces the board."
        ),
        Option(
            "from", \.administration.from, .name, in: .command, of: [.importBoard],
            "What the file is: kanbase for an export of Kanbase, or that of another system; firebase-auth makes accounts."
        ),
        Option(
            "map", \.administration.map, OptionValue.text("RULES", "a file or rules").optional(), in: .command,
            of: [.importBoard],
            "What words of the file mean, as list:Backlog=todo,dates=day,timeZone=Asia/Seoul, or a file with a rule on each line."
        ),
        Option(
            "hash-parameters", \.administration.hashParameters, OptionValue.text("FILE", "a file").optional(),
            in: .command,
            of: [.importBoard], "The password hash parameters of the Firebase project, for --from firebase-auth."),
        Option(
            "service-account", \.administration.serviceAccount, OptionValue.text("FILE", "a file").optional(),
            in: .command, of: [.importBoard],
            "The key of a service account that reads Firestore, for --from firestore without a file."),
        Option(
            "collection", \.administration.collection, OptionValue.text("PATH", "a path").optional(), in: .command,
            of: [.importBoard], "The collection that --service-account reads, as users/UID/todos."),
        Option(
            "firestore-url", \.administration.firestoreURL, OptionValue.trustworthyURL.optional(),
            in: .command, of: [.importBoard],
            "A server that stands in for Google's. It must answer POST /token with an access_token, too, as the emulator alone does not."
        ),
        Option(
            flag: "truncate", \.administration.truncates, of: [.importBoard],
            "Cut texts that are too long, and say so."),
        Option(flag: "dry-run", \.administration.dryRun, of: [.importBoard], "Only report what would happen."),
        Option("format", \.administration.format, .name, in: .command, of: [.exportBoard], "csv has only the tasks."),
        Option(
            "account", \.administration.account,
            OptionValue.text("EMAIL", "an e-mail address").optional(unset: "local"),
            in: .command, of: [.exportBoard, .importBoard],
            "The account of the board; local is the board of `--auth open`. Needed where there are accounts."),
        Option(
            "display-name", \.administration.displayName, OptionValue.text("NAME").optional(), in: .command,
            of: [.accountAdd], "The account's display name."),
        Option(
            "name", \.administration.tokenName, OptionValue.text("NAME").optional(unset: "command line"), in: .command,
            of: [.tokenAdd], "What the token is for."),
        Option(
            "scope", \.administration.scope, .name, in: .command, of: [.tokenAdd], "What the token may do."),
        Option(
            "expires", \.administration.expiresInDays, OptionValue.number(1...36_500, "DAYS").optional(unset: "never"),
            in: .command, of: [.tokenAdd, .invite], "The lifetime in days; 7 for an invitation."),
    ]
}
