# The words of this project. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help run test scenarios test-cluster chaos-cluster test-web pictures bench bench-client converge format lint fuzz sanitize crash abuse push proxies soak image libraries

# Options of the server for `make run`, as ARGS="--port 9000 --log-level debug".
ARGS ?=
# Options of `swift test` for `make test`, as TEST="--filter Tasks".
TEST ?=
# Options of pytest for `make test-web`, as WEB="-k offline".
WEB ?=
# Options of `make bench`, such as BENCH="at_hand --rounds 5", or BENCH="--apart".
BENCH ?=
# Which attacks `make abuse` makes; all of them without.
ATTACKS ?=
# How long `make fuzz`, `make soak` and `make converge` take, in seconds, and how often `make crash` kills.
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 3600
CONVERGE_SECONDS ?= 3600
KILLS ?= 1000
# How long `make chaos-cluster` takes, in seconds, and a program of another version that serves beside.
CHAOS_SECONDS ?= 3600
OTHER ?=
# How often `make test-cluster` kills a server or PostgreSQL, and which suites it runs: those that need no data directory.
KILLS_CLUSTER ?= 8
CLUSTER_SUITES = KanbanAPITests.[M-Z]|ConformanceTests.(Access|AccessStream|Conventions|Retry|Weather|SyncFeed|Tour|Image)Tests
CLUSTER_SUITES_BESIDE = KanbanAPITests.[A-L]
# Suites with a test that counts on one server: its keys of issuers, its numbers of accounts, its copy of a session.
CLUSTER_SKIPS = KanbanAPITests.(IdentityRoutes|InvitationRoutes|ProviderRoutes|SessionRoutes)Tests
# One test at a time: on a slow machine, 700 at once keep one another waiting for minutes, beyond any time-out. Two processes do not.
SWIFT_TEST = swift test --disable-xctest --no-parallel --skip-build --ignore-lock
# The tests of one process: half of the time.
TEST_HALF = ^(ConformanceTests|KanbanPostgresTests|KanbanSQLiteTests|KanbanImportTests|KanbanWireTests|HTTPTests)\.

help: ## list what make can do
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile

run: libraries ## build for speed and serve on http://127.0.0.1:8080 (ARGS="--port 9000")
	swift build -c release --product kanbase
	@exec .build/release/kanbase serve $(ARGS)

test: libraries ## run all tests (TEST="--filter Tasks")
	@Scripts/need curl jq openssl
	swift build --build-tests
	@$(if $(TEST),$(SWIFT_TEST) $(TEST),Scripts/beside "$(SWIFT_TEST) --filter '$(TEST_HALF)'" "$(SWIFT_TEST) --skip '$(TEST_HALF)'")

scenarios: libraries ## run thousands of random scenarios of sync, devices, series and reminders
	swift build --build-tests
	@Scripts/scenarios

# The tests of the API against two servers, each request to one of them, and faults.
test-cluster: libraries ## test servers that share a PostgreSQL, with faults (KILLS_CLUSTER=8)
	@Scripts/need curl jq openssl
	@Scripts/need-postgres
	@Scripts/need-pgbouncer
	swift build --build-tests
	@KANBASE_TEST_SERVERS=2 Scripts/beside "$(SWIFT_TEST) --filter '$(CLUSTER_SUITES)' --skip '$(CLUSTER_SKIPS)'" \
		"$(SWIFT_TEST) --filter '$(CLUSTER_SUITES_BESIDE)' --skip '$(CLUSTER_SKIPS)'"
	@Scripts/beside "python3 Tests/Cluster/cluster.py --kills $(KILLS_CLUSTER) .build/debug/kanbase" \
		"python3 Tests/Cluster/faults.py .build/debug/kanbase" \
		"python3 Tests/Cluster/chaos.py --seconds 20 .build/debug/kanbase"

chaos-cluster: libraries ## kills, failovers and cuts of a cluster for an hour (CHAOS_SECONDS=3600 OTHER=an-older-kanbase)
	@Scripts/need-postgres
	swift build -c release --product kanbase
	python3 Tests/Cluster/chaos.py --seconds $(CHAOS_SECONDS) $(if $(OTHER),--other $(OTHER)) .build/release/kanbase

test-web: libraries ## test the web board in Chromium (WEB="-k offline")
	swift build -c release --product kanbase
	Scripts/web-test .build/release/kanbase $(WEB)

pictures: libraries ## take the pictures of the web board in docs/images
	swift build --product kanbase
	KANBASE_PICTURES=docs/images Scripts/web-test .build/debug/kanbase -k pictures

bench: libraries ## measure beside nginx, Node and FastAPI (BENCH="--full --report FILE")
	python3 Benchmarks/bench $(BENCH)

bench-client: libraries ## measure the client library's targets (TASKS=100000)
	Benchmarks/client

converge: libraries ## devices, faults and crashes for an hour (CONVERGE_SECONDS=3600)
	Tests/KanbanClientTests/converge $(CONVERGE_SECONDS)

format: ## format all Swift files
	swift format --in-place --recursive --parallel Package.swift Sources Tests Fuzz

lint: ## check the format of all Swift files, the length of files, and for words left behind
	Scripts/lint

fuzz: libraries ## feed broken bytes to the parsers (FUZZ_SECONDS=60 each)
	Fuzz/run $(FUZZ_SECONDS)

sanitize: libraries ## run the tests of what has threads and pointers under the sanitizers
	@Scripts/need curl jq openssl
	Scripts/sanitize thread
	Scripts/sanitize address

crash: libraries ## fill the disk, kill the server again and again, and look for losses (KILLS=1000)
	swift build -c release --product kanbase
	python3 Tests/Crash/disk.py .build/release/kanbase
	python3 Tests/Crash/crash.py --kills $(KILLS) .build/release/kanbase

abuse: libraries ## attack the server with a polite stranger beside (ATTACKS="names")
	@Scripts/need faketime
	@Scripts/need-postgres
	swift build -c release --product kanbase
	python3 Tests/Abuse/abuse.py .build/release/kanbase $(ATTACKS)

push: libraries ## remind closed devices through stand-ins of Apple's and of a browser's push service
	@Scripts/need openssl python3-cryptography
	@Scripts/need-postgres
	swift build -c release --product kanbase
	/usr/bin/python3 Tests/Push/walk.py .build/release/kanbase
	/usr/bin/python3 Tests/Push/cluster.py .build/release/kanbase
	/usr/bin/python3 Tests/Push/crowd.py .build/release/kanbase

proxies: libraries ## run the proxies of the docs in front of the server
	swift build --product kanbase
	python3 Tests/Proxies/proxies.py .build/debug/kanbase

soak: libraries ## mixed load for an hour, looking for growth (SOAK_SECONDS=3600)
	swift build -c release --product kanbase
	python3 Tests/Crash/soak.py --seconds $(SOAK_SECONDS) .build/release/kanbase

image: ## build the container image
	docker build --tag kanbase .

# What the build needs beside the toolchain. Says and does something only when it is missing.
libraries:
	@Scripts/need libcurl4-openssl-dev libpq-dev libsqlite3-dev libssl-dev pkg-config zlib1g-dev
