import KanbanAccess
import Testing

@testable import KanbanServer

struct InvocationTests {
    @Test func `nothing at all serves with the defaults`() throws {
        let invocation = try Invocation([], environment: [:])

        #expect(invocation.command == .serve)
        #expect(invocation.configuration == Configuration())
    }

    @Test(arguments: [["--port", "9000"], ["--port=9000"], ["serve", "--port", "9000"], ["--port", "9000", "serve"]])
    func `an option is written in either way and on either side of the command`(arguments: [String]) throws {
        let invocation = try Invocation(arguments, environment: [:])

        #expect(invocation.command == .serve)
        #expect(invocation.configuration.port == 9000)
    }

    @Test func `the command line wins over the environment`() throws {
        let environment = ["KANBASE_PORT": "9000", "KANBASE_HOST": "::1", "PORT": "1"]

        let invocation = try Invocation(["--port", "9001"], environment: environment)

        #expect(invocation.configuration.port == 9001)
        #expect(invocation.configuration.host == "::1")
    }

    @Test(arguments: ["\n", "\r\n", "\n\n"])
    func `line breaks at the end of a variable are not part of it`(end: String) throws {
        let environment = [
            "KANBASE_DATABASE": "postgres://h/d\(end)", "KANBASE_PORT": "9000\(end)", "KANBASE_HOST": end,
        ]

        let configuration = try Invocation([], environment: environment).configuration

        #expect(configuration.database == "postgres://h/d" && configuration.port == 9000)
        #expect(configuration.host == Configuration().host)
    }

    @Test func `an option given several times gathers, and replaces what the environment says`() throws {
        let environment = ["KANBASE_CORS_ORIGIN": "https://a.example,https://b.example"]

        let fromEnvironment = try Invocation([], environment: environment)
        let fromBoth = try Invocation(
            [
                "--cors-origin", "https://c.example:8443", "--cors-origin=HTTPS://d.example:443", "--cors-origin",
                "capacitor://localhost",
            ], environment: environment)

        #expect(fromEnvironment.configuration.corsOrigins == ["https://a.example", "https://b.example"])
        #expect(
            fromBoth.configuration.corsOrigins == [
                "https://c.example:8443", "https://d.example", "capacitor://localhost",
            ])
    }

    @Test(arguments: [
        (["--prot", "1"], "There is no option --prot. Did you mean --port?"),
        (["--log-fromat=json"], "There is no option --log-fromat. Did you mean --log-format?"),
        (["--zzzzzz"], "There is no option --zzzzzz."),
        (["-p", "1"], "There is no option -p."),
        (["--port"], "--port needs a value."),
        (["--port", "http"], "--port must be a number from 0 to 65535, not 'http'."),
        (["--port=65536"], "--port must be a number from 0 to 65535, not '65536'."),
        (["--port=+1"], "--port must be a number from 0 to 65535, not '+1'."),
        (["--host", "example.com"], "--host must be an IPv4 or IPv6 address, or localhost, not 'example.com'."),
        (["--auth", "none"], "--auth must be open or required, not 'none'."),
        (["--time-zone", "Asia/Seol"], "--time-zone must be an IANA name such as Asia/Seoul or UTC, not 'Asia/Seol'."),
        (
            ["--idle-timeout", "0"],
            "--idle-timeout must be a time over 0, at most a day, as 10, 10s, 500ms or 2m, not '0'."
        ),
        (
            ["--cors-origin", "app.example"],
            "--cors-origin must be scheme, host and port of a page, as https://app.example.com, not 'app.example'."
        ),
        (
            ["--cors-origin", "https://bücher.example"],
            "--cors-origin must be scheme, host and port of a page, as https://app.example.com, not 'https://bücher.example'."
        ),
        (
            ["--trusted-proxy", "172.18.0.0/33"],
            "--trusted-proxy must be an IPv4 or IPv6 address or network, as 127.0.0.1 or 172.18.0.0/16, not '172.18.0.0/33'."
        ),
        (
            ["--metrics", "9090"],
            "--metrics must be an address and a port, as 127.0.0.1:9090, [::1]:9090 or localhost:9090, not '9090'."
        ),
        (["--tls-key", "key.pem"], "--tls-certificate and --tls-key go together."),
        (["bakcup", "x"], "There is no command 'bakcup'. Did you mean 'backup'?"),
        (["backup"], "'kanbase backup' needs FILE."),
        (["backup", "a", "b"], "'kanbase backup' does not know what to do with 'b'."),
        (
            ["account", "ad", "a@b.c"],
            "'kanbase account' needs one of: add, list, show, events, disable, enable, quota, remove, password, export, link. Did you mean 'add'?"
        ),
        (["check", "--port", "1"], "'kanbase check' takes no --port."),
        (
            ["backup", "-"],
            "'kanbase backup' takes the name of a file; - is none, but a standard stream. A file of that name is ./-."
        ),
        (
            ["restore", "-"],
            "'kanbase restore' takes the name of a file; - is none, but a standard stream. A file of that name is ./-."
        ),
        (["check", "--vacuum=yes"], "--vacuum stands alone, without a value."),
    ])
    func `a wrong command line says what would be right`(arguments: [String], message: String) {
        #expect(throws: Failure(.usage, message)) {
            try Invocation(arguments, environment: [:])
        }
    }

    @Test(arguments: [
        ("127.0.0.1:9090", "127.0.0.1:9090"), ("localhost:0", "127.0.0.1:0"), ("[::1]:65535", "[::1]:65535"),
        ("0.0.0.0:1", "0.0.0.0:1"), ("127.0.0.1", nil), ("127.0.0.1:", nil), ("127.0.0.1:65536", nil), (":9090", nil),
        ("::1:9090", nil), ("::1", nil), ("[::1]", nil), ("[127.0.0.1]:1", nil), ("example.org:9090", nil),
        ("127.0.0.1:+1", nil), ("", nil),
    ])
    func `a listener has an address and a port`(text: String, listener: String?) {
        // `try?`: what is thrown is tested above.
        let invocation = try? Invocation(["--metrics", text], environment: [:])

        #expect(invocation?.configuration.metrics.map { "\($0)" } == listener)
    }

    @Test func `an import takes the zone of the server, an export does not`() throws {
        let option = try Invocation(["import", "--time-zone", "Asia/Seoul"], environment: [:])
        let variable = try Invocation(["import"], environment: ["KANBASE_TIME_ZONE": "Asia/Seoul"])

        #expect(option.configuration.timeZone == "Asia/Seoul" && variable.configuration.timeZone == "Asia/Seoul")
        #expect(throws: Failure(.usage, "'kanbase export' takes no --time-zone.")) {
            try Invocation(["export", "--time-zone", "Asia/Seoul"], environment: [:])
        }
    }

    @Test func `networks of proxies come from the command line or the environment`() throws {
        let networks = ["127.0.0.1", "172.18.0.0/16", "fd00::/8"]

        let variable = try Invocation([], environment: ["KANBASE_TRUSTED_PROXY": networks.joined(separator: ",")])
        let options = try Invocation(networks.flatMap { ["--trusted-proxy", $0] }, environment: [:])

        #expect(variable.configuration.trustedProxies == networks)
        #expect(options.configuration.trustedProxies == networks)
    }

    @Test func `a wrong variable is a fault of the configuration`() {
        let message = "KANBASE_PORT must be a number from 0 to 65535, not 'tcp://10.0.0.1:8080'."

        #expect(throws: Failure(.configuration, message)) {
            try Invocation([], environment: ["KANBASE_PORT": "tcp://10.0.0.1:8080"])
        }
    }

    @Test(arguments: [
        ("mail-url", "KANBASE_MAIL_URL", "smtps://u:sek ret@h"),
        ("weather-url", "KANBASE_WEATHER_URL", "ftp://u:sek@h"),
    ])
    func `an address that may hold a password is not repeated`(option: String, variable: String, text: String) {
        let failures = [
            #expect(throws: Failure.self) { try Invocation(["--\(option)", text], environment: [:]) },
            #expect(throws: Failure.self) { try Invocation([], environment: [variable: text]) },
        ]

        #expect(failures.map { $0?.code } == [.usage, .configuration])
        #expect(failures.allSatisfy { $0?.message.contains("sek") == false })
    }

    @Test func `a name of two sign-in providers is refused`() throws {
        let message = "--oidc must be given once for each NAME, not 'own=https://b.example,y'."
        #expect(throws: Failure(.usage, message)) {
            try Invocation(
                ["--oidc", "own=https://a.example,x", "--oidc", "own=https://b.example,y"], environment: [:])
        }
        let variable = ["KANBASE_OIDC": "own=https://a.example,x own=https://b.example,y"]
        let failure = #expect(throws: Failure.self) { try Invocation([], environment: variable) }
        #expect(failure?.code == .configuration)
        let replaced = try Invocation(["--oidc", "own=https://c.example,z"], environment: variable)
        #expect(replaced.configuration.oidc.map(\.clientIDs) == [["z"]])
    }

    @Test func `half of a certificate is a fault of the place that gave it`() {
        #expect(throws: Failure(.configuration, "KANBASE_TLS_CERTIFICATE and KANBASE_TLS_KEY go together.")) {
            try Invocation([], environment: ["KANBASE_TLS_KEY": "a.key"])
        }
        #expect(throws: Failure(.usage, "--tls-certificate and --tls-key go together.")) {
            try Invocation(["--tls-key", "a.key"], environment: [:])
        }
    }

    @Test func `what Apple gives a team goes together, and with a provider that is Apple`() throws {
        let all = ["--apple-team", "A1B2C3D4E5", "--apple-key-id", "F6G7H8I9J0", "--apple-key", "a.p8"]
        let together = Failure(.usage, "--apple-team, --apple-key-id and --apple-key go together.")
        for missing in [0, 2, 4] {
            var arguments = all + ["--oidc", "apple=com.example.app"]
            arguments.removeSubrange(missing..<(missing + 2))
            #expect(throws: together) { try Invocation(arguments, environment: [:]) }
        }
        let lone = Failure(.usage, "--apple-team, --apple-key-id and --apple-key need --oidc apple=CLIENT_ID.")
        for arguments in [all, all + ["--oidc", "google=app"]] {
            #expect(throws: lone) { try Invocation(arguments, environment: [:]) }
        }
        let given = try Invocation(
            all.suffix(4) + ["--oidc", "ios=https://appleid.apple.com,com.example.app"],
            environment: ["KANBASE_APPLE_TEAM": "A1B2C3D4E5\n"]
        ).configuration
        #expect(given.appleTeam == "A1B2C3D4E5" && given.appleKeyID == "F6G7H8I9J0" && given.appleKeyFile == "a.p8")
        for text in ["a1b2c3d4e5", "A1B2C3D4E", "A1B2C3D4E56", "A1B2C3D4Eé"] {
            #expect(throws: Failure.self) { try Invocation(all + ["--apple-key-id", text], environment: [:]) }
        }
    }

    @Test func `a variable of the server does not disturb a command without that option`() throws {
        let invocation = try Invocation(["check"], environment: ["KANBASE_PORT": "x", "KANBASE_DATA": "/data"])

        #expect(invocation.configuration.data == "/data")
    }

    @Test(arguments: [
        ("127.0.0.1", Configuration.Auth.open), ("127.8.8.8", .open), ("::1", .open), ("localhost", .open),
        ("0.0.0.0", .required), ("192.168.1.4", .required), ("::", .required),
    ])
    func `the address decides who may come in, unless an option does`(host: String, auth: Configuration.Auth) throws {
        let silent = try Invocation(["--host", host], environment: [:]).configuration
        let said = try Invocation(["--host", host, "--auth", "open"], environment: [:]).configuration

        #expect(silent.effectiveAuth == auth)
        #expect(said.effectiveAuth == .open)
    }

    @Test(arguments: [
        ("10", Duration.seconds(10)), ("10s", .seconds(10)), ("250ms", .milliseconds(250)), ("2m", .seconds(120)),
    ])
    func `times have units`(text: String, time: Duration) throws {
        let invocation = try Invocation(["--idle-timeout", text], environment: [:])

        #expect(invocation.configuration.idleTimeout == time)
    }

    @Test func `a former option is refused and its constant named`() {
        for name in Option.former.keys {
            let line = #expect(throws: Failure.self) { try Invocation(["--\(name)", "1"], environment: [:]) }
            let variable = #expect(throws: Failure.self) {
                try Invocation([], environment: [Option.variable(of: name): "1"])
            }

            #expect(line?.code == .usage && variable?.code == .configuration)
            for failure in [line, variable] { #expect(failure?.message.contains("is no option any more: ") == true) }
            #expect(!Option.all.contains { $0.name == name })
        }
    }

    @Test(arguments: [("65536", 65_536), ("64KiB", 65_536), ("2MiB", 2_097_152)])
    func `sizes have units`(text: String, bytes: Int) throws {
        let invocation = try Invocation(["--body-limit", text], environment: [:])

        #expect(invocation.configuration.bodyLimit == bytes)
    }

    @Test func `words of two are commands, and their arguments follow`() throws {
        let invocation = try Invocation(["token", "remove", "--data", "d", "a@b.c", "7"], environment: [:])

        #expect(invocation.command == .tokenRemove)
        #expect(invocation.arguments == ["a@b.c", "7"])
    }

    @Test func `after two dashes everything is an argument`() throws {
        let invocation = try Invocation(["backup", "--", "--odd-name"], environment: [:])

        #expect(invocation.arguments == ["--odd-name"])
    }
}
