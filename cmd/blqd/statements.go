package main

import (
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store/sqlite/cage"
)

// statements are the limits of callers' SQL. Each statement has a process of its own, and tenants share the processes.
var statements = cage.Options{Ahead: true, Tenant: httpserver.Tenant}
