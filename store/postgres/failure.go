package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/blq-ci/blq/store"
)

// These SQLSTATE codes need their own handling.
const (
	uniqueViolation   = "23505"
	checkViolation    = "23514" // also for a row without a partition
	serialization     = "40001"
	deadlock          = "40P01"
	undefinedTable    = "42P01"
	undefinedFunction = "42883"
	readOnly          = "25006"
	lockTimeout       = "55P03"
	canceled          = "57014" // cancelled because of the statement timeout or on request
)

// stateOf returns the SQLSTATE code of an error from the database, or "" for other errors.
func stateOf(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// failure returns an error of the database. If a retry may succeed, the error has the code Unavailable. Its message
// leaves out the database's own message, because callers must not see names and addresses of the database. Cause
// returns the original error. If ctx has ended, failure returns the error of ctx.
func failure(ctx context.Context, err error) error {
	switch state := stateOf(err); {
	case err == nil || store.CodeOf(err) != "":
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case state == canceled:
		return outage(err, "the database took too long", "try again, or ask for fewer runs")
	case state == lockTimeout || state == deadlock || state == serialization:
		return outage(err, "the database is busy", "try again")
	case strings.HasPrefix(state, "53"): // the server lacks disk space, memory or connections
		return outage(err, "the database has no room left", "try again later; blqd doctor says what it lacks")
	case state == readOnly:
		return outage(err, "the database cannot be written", "try again; blqd doctor says whether it is a replica")
	case state == undefinedTable || state == undefinedFunction:
		return outage(err, "the database lacks a table", "blqd migrate   # makes the tables")
	case isDown(err, state):
		return outage(err, "the database does not answer", "try again; blqd doctor says what is wrong")
	}
	return err
}

func outage(cause error, message, hint string) error {
	return store.Hint(store.Errorf(store.Unavailable, "%w", &quiet{message, cause}), "%s", hint)
}

// quiet is an error whose message does not contain its cause.
type quiet struct {
	message string
	cause   error
}

func (q *quiet) Error() string { return q.message }

func (q *quiet) Unwrap() error { return q.cause }

// Cause returns the original error of the database or the network behind an Unavailable error. Operators may see the
// original error. Cause returns nil for any other error.
func Cause(err error) error {
	var q *quiet
	if errors.As(err, &q) {
		return q.cause
	}
	return nil
}

// isDown reports whether the connection failed, or the server closed it.
func isDown(err error, state string) bool {
	if state != "" {
		class := state[:2]
		return class == "08" || class == "28" || class == "3D" || class == "57" || class == "58" || state == "25P03"
	}
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err) || pgconn.Timeout(err)
}
