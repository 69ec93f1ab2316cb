# What a developer runs. `make` alone says what there is.

SHELL := /bin/sh
GO ?= go
GOFLAGS_TEST ?=
MYSQL := .cache/mysql
GALERA := .cache/galera
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

PKG ?= $(ALL)
# The longest first: they wait more than they work.
ALL = ./e2e ./cmd/counterfoil ./web ./...
RUN ?=

# What the tests of a package need: those that borrow databases, and db itself, run on MySQL as well. Pages in a
# browser are shown on MariaDB alone: what they ask of the database, web asks on both.
LIST = $(GO) list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' ./...
ON_DATABASE = $$($(LIST) | awk '/db.dbtest|app.apptest|migrationstest/ && $$1 !~ /e2e$$/ || $$1 ~ /counterfoil.db(\/|$$)/ { print $$1 }')
WITHOUT_DATABASE = $$($(LIST) | awk '!/db.dbtest|app.apptest|migrationstest/ && $$1 !~ /counterfoil.db(\/|$$)/ { print $$1 }')

# What is shown on MariaDB and asks nothing else of the database than other tests of web: hostile texts in each field.
SHOWN = TestHostile

# The packages that start goroutines of their own.
CONCURRENT = ./db ./domain/coalesce ./domain/delivery ./domain/feeds ./domain/live ./domain/migrations/...

# What shows most on a node of Galera: the schema, locks, conflicts at COMMIT, numbers, codes, positions.
SHOWN_ON_GALERA = ./db ./domain/accounts ./domain/refs ./domain/tickets

# Those whose tests do more with the tag soak.
SOAK = ./cmd/counterfoil ./domain/workflows ./web ./ops/backup

ON_MARIADB = $(GO) run ./db/dbtest/server --
ON_GALERA = COUNTERFOIL_GALERA=$(CURDIR)/$(GALERA)/libgalera_smm.so $(GO) run ./db/dbtest/server -engine galera --
ON_MYSQL = COUNTERFOIL_MYSQLD=$(CURDIR)/$(MYSQL)/mysqld $(GO) run ./db/dbtest/server -engine mysql --
TEST = $(GO) test -vet=off -ldflags='-s -w' -count=1 -shuffle=on -p 2 -parallel 4 $(if $(RUN),-run '$(RUN)') $(GOFLAGS_TEST)

# Compilers and tests have more memory than processors: they collect garbage less often.
test test-mysql test-galera race: export GOGC = 400

.DEFAULT_GOAL := help
.PHONY: help run build test test-mysql test-galera race check fmt generate screenshots lint bench soak

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: need-database build ## serve the app on a private database in ./data
	exec bin/counterfoil serve

build: ## bin/counterfoil
	$(GO) build -ldflags "-X main.version=$(VERSION)" -o bin/counterfoil ./cmd/counterfoil

test: need-database need-compiler need-browser ## all tests, on MariaDB; PKG=./domain/boards RUN=TestSlug for some
	$(ON_MARIADB) $(TEST) -timeout 60m $(PKG)

test-mysql: need-database need-compiler need-browser $(MYSQL)/ready ## all tests that touch the database, on MySQL; PKG and RUN as above
	$(ON_MYSQL) $(TEST) -timeout 60m $(if $(filter ./...,$(PKG)),-skip '$(SHOWN)' ./cmd/counterfoil ./db/private ./web $(ON_DATABASE),$(PKG))

test-galera: need-database $(GALERA)/ready ## what shows most on a node of Galera; PKG and RUN as above
	$(ON_GALERA) $(TEST) -timeout 60m $(if $(filter ./...,$(PKG)),$(SHOWN_ON_GALERA),$(PKG))

race: need-database ## the packages that start goroutines, and live pages, under the race detector
	$(ON_MARIADB) $(TEST) -race -timeout 60m $(CONCURRENT)
	$(ON_MARIADB) $(TEST) -race -timeout 60m -run 'Stream|Live|BoardNow' ./web

check: lint ## lint, and the tests that need no database
	$(GO) test -shuffle=on $(WITHOUT_DATABASE)

fmt: ## gofmt and templ fmt
	gofmt -w $$(git ls-files '*.go')
	$(GO) tool templ fmt views

generate: ## sqlc, templ, the keys, docs/errors.md and docs/texts.md
	$(GO) tool sqlc generate
	$(GO) tool templ generate
	$(GO) run ./scripts/errordocs
	$(GO) run ./scripts/keydocs
	$(GO) run ./scripts/textdocs

screenshots: need-database need-browser ## docs/images, from the running app
	scripts/screenshots

lint: ## vet and golangci-lint
	$(GO) vet ./...
	$(GO) tool -modfile=tools/golangci-lint.mod golangci-lint run

bench: need-database build $(MYSQL)/ready ## tickets, tasks, the feed and codes beside other strategies, on both engines
	bin/counterfoil bench tickets
	bin/counterfoil bench tickets --writers 50 --each 200
	COUNTERFOIL_MYSQLD=$(CURDIR)/$(MYSQL)/mysqld bin/counterfoil bench tickets --engine mysql
	COUNTERFOIL_MYSQLD=$(CURDIR)/$(MYSQL)/mysqld bin/counterfoil bench tickets --engine mysql --writers 50 --each 200
	bin/counterfoil bench migrations
	COUNTERFOIL_MYSQLD=$(CURDIR)/$(MYSQL)/mysqld bin/counterfoil bench migrations --engine mysql
	bin/counterfoil bench feed
	COUNTERFOIL_MYSQLD=$(CURDIR)/$(MYSQL)/mysqld bin/counterfoil bench feed --engine mysql
	bin/counterfoil bench refs
	COUNTERFOIL_MYSQLD=$(CURDIR)/$(MYSQL)/mysqld bin/counterfoil bench refs --engine mysql

soak: need-database need-compiler need-browser need-faults build $(MYSQL)/ready $(GALERA)/ready ## the full load and crash tests, and feeds of large tables, on both engines; hours
	$(ON_MARIADB) $(TEST) -tags soak -timeout 300m -v $(SOAK)
	$(ON_MARIADB) $(TEST) -tags soak -timeout 120m -v ./domain/feeds -rapid.checks=5000
	$(ON_MARIADB) $(TEST) -race -timeout 300m ./...
	$(ON_MYSQL) $(TEST) -tags soak -timeout 300m -v $(SOAK)
	$(ON_MYSQL) $(TEST) -tags soak -timeout 120m -v ./domain/feeds -rapid.checks=5000
	$(ON_GALERA) $(TEST) -timeout 120m -skip '$(SHOWN)' ./cmd/counterfoil ./web $(ON_DATABASE)
	bin/counterfoil bench feed --rows 10000,5000000 --changed 10000 --live=false
	COUNTERFOIL_MYSQLD=$(CURDIR)/$(MYSQL)/mysqld bin/counterfoil bench feed --engine mysql --rows 10000,5000000 --changed 10000 --live=false
	bin/counterfoil bench refs --buffer-pool 10240 --pool 60000000 --held 5000000 --rivals=false
	COUNTERFOIL_MYSQLD=$(CURDIR)/$(MYSQL)/mysqld bin/counterfoil bench refs --engine mysql --buffer-pool 10240 --pool 60000000 --held 5000000 --rivals=false

CLUSTER = for topology in galera semisync group; do COUNTERFOIL_TOPOLOGY=$$topology $(TEST) -tags cluster -v -timeout 300m -run 'TestCluster$$' ./cmd/counterfoil || exit 1; done

.PHONY: test-cluster soak-cluster
test-cluster: export COUNTERFOIL_MISHAPS = 2
test-cluster: need-database $(MYSQL)/ready $(GALERA)/ready ## three servers on each topology of docs/scaling, whose writer is killed and changed
	$(CLUSTER)
	$(GO) run ./scripts/cluster -topology galera -- $(TEST) -tags cluster -run 'Galera|ACluster|Nodes|LockOfTheSchema' ./db ./domain/accounts

soak-cluster: need-database $(MYSQL)/ready $(GALERA)/ready ## the same with 100 mishaps of each topology; hours
	$(CLUSTER)

.PHONY: seed dev
seed: need-database build ## a company to look at; SIZE=large for 200,000 tickets, COMPANY=slug for another
	$(GO) run ./scripts/seed $(if $(SIZE),--size $(SIZE)) $(if $(COMPANY),--company $(COMPANY))

dev: need-database ## serve as run does; rebuilt on each change of .go, .templ, .sql and .css
	$(GO) tool -modfile=tools/air.mod air -c tools/air.toml

.PHONY: need-database need-browser need-faults
need-database:
	@scripts/need mariadbd

need-compiler: # of testdata/withhold.c
	@scripts/need gcc

need-browser:
	@scripts/need chromium-headless-shell,chromium,chromium-browser,google-chrome,google-chrome-stable

# What tests with the tag soak make faults with: clocks that are set, disks that are slow.
need-faults:
	@scripts/need gcc faketime

$(MYSQL)/ready:
	scripts/get-mysql $(MYSQL)

$(GALERA)/ready:
	scripts/get-galera $(GALERA)
