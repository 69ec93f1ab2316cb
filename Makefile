# What a developer runs. `make` alone says what there is.

SHELL := /bin/sh
GO ?= go
GOFLAGS_TEST ?=
MYSQL := .cache/mysql
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

# What touches the database: the packages that test-mysql runs on MySQL as well.
ON_DATABASE = ./db/... ./domain/... ./web/... ./ops/... ./cmd/... ./e2e/...

# The tests that do more where COUNTERFOIL_SOAK is set.
SOAK = Load|Import|Crash|Outlive|Chaos|TheOriginalScenario|NothingIsClaimedAfterAStop|CodesWhileAServerDies

.DEFAULT_GOAL := help
.PHONY: help run build test test-mysql generate lint bench soak

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: need-database build ## serve the app on a private database in ./data
	exec bin/counterfoil serve

build: ## bin/counterfoil
	$(GO) build -trimpath -ldflags "-X main.version=$(VERSION)" -o bin/counterfoil ./cmd/counterfoil

test: need-database need-browser ## all tests, on MariaDB
	$(GO) run ./db/dbtest/server -- $(GO) test -count=1 -timeout 60m $(GOFLAGS_TEST) ./...

test-mysql: need-database need-browser $(MYSQL)/ready ## all tests that touch the database, on MySQL
	COUNTERFOIL_MYSQLD=$(CURDIR)/$(MYSQL)/mysqld $(GO) run ./db/dbtest/server -engine mysql -- $(GO) test -count=1 -timeout 60m $(GOFLAGS_TEST) $(ON_DATABASE)

generate: ## sqlc and templ
	$(GO) tool sqlc generate
	$(GO) tool templ generate

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

soak: need-database build $(MYSQL)/ready ## the full load and crash tests, and feeds of large tables, on both engines; hours
	COUNTERFOIL_SOAK=1 $(GO) run ./db/dbtest/server -- $(GO) test -count=1 -timeout 300m -v -run '$(SOAK)' ./cmd/counterfoil
	COUNTERFOIL_SOAK=1 $(GO) run ./db/dbtest/server -- $(GO) test -count=1 -timeout 120m -v -run TestALargeRun ./web
	COUNTERFOIL_SOAK=1 $(GO) run ./db/dbtest/server -- $(GO) test -count=1 -timeout 120m -v ./domain/feeds -rapid.checks=5000
	COUNTERFOIL_SOAK=1 COUNTERFOIL_MYSQLD=$(CURDIR)/$(MYSQL)/mysqld $(GO) run ./db/dbtest/server -engine mysql -- $(GO) test -count=1 -timeout 300m -v -run '$(SOAK)' ./cmd/counterfoil
	COUNTERFOIL_SOAK=1 COUNTERFOIL_MYSQLD=$(CURDIR)/$(MYSQL)/mysqld $(GO) run ./db/dbtest/server -engine mysql -- $(GO) test -count=1 -timeout 120m -v -run TestALargeRun ./web
	COUNTERFOIL_SOAK=1 COUNTERFOIL_MYSQLD=$(CURDIR)/$(MYSQL)/mysqld $(GO) run ./db/dbtest/server -engine mysql -- $(GO) test -count=1 -timeout 120m -v ./domain/feeds -rapid.checks=5000
	bin/counterfoil bench feed --rows 10000,5000000 --changed 10000 --live=false
	COUNTERFOIL_MYSQLD=$(CURDIR)/$(MYSQL)/mysqld bin/counterfoil bench feed --engine mysql --rows 10000,5000000 --changed 10000 --live=false
	bin/counterfoil bench refs --buffer-pool 10240 --pool 60000000 --held 5000000 --rivals=false
	COUNTERFOIL_MYSQLD=$(CURDIR)/$(MYSQL)/mysqld bin/counterfoil bench refs --engine mysql --buffer-pool 10240 --pool 60000000 --held 5000000 --rivals=false

.PHONY: seed dev
seed: need-database build ## a company to look at; SIZE=large for 200,000 tickets, COMPANY=slug for another
	$(GO) run ./scripts/seed $(if $(SIZE),--size $(SIZE)) $(if $(COMPANY),--company $(COMPANY))

dev: need-database ## serve as run does; rebuilt on each change of .go, .templ, .sql and .css
	$(GO) tool -modfile=tools/air.mod air -c tools/air.toml

.PHONY: need-database need-browser
need-database:
	@scripts/need mariadbd

need-browser:
	@scripts/need chromium

$(MYSQL)/ready:
	scripts/get-mysql $(MYSQL)
