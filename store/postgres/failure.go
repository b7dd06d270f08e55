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

// States of SQL that are told apart.
const (
	uniqueViolation = "23505"
	checkViolation  = "23514" // also: no partition takes the row
	serialization   = "40001"
	deadlock        = "40P01"
	undefinedTable  = "42P01"
	readOnly        = "25006"
	lockTimeout     = "55P03"
	canceled        = "57014" // by the statement's timeout, or on demand
)

// stateOf returns the state of SQL that the database answered with, "" for
// errors that come from elsewhere.
func stateOf(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// failure gives the code Unavailable to what another try may mend. The end of
// ctx stays what it is.
func failure(ctx context.Context, err error) error {
	switch state := stateOf(err); {
	case err == nil || store.CodeOf(err) != "":
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case state == canceled:
		return store.Hint(store.Errorf(store.Unavailable, "the database took too long: %w", err), "try again, or ask for fewer runs")
	case state == lockTimeout || state == deadlock || state == serialization:
		return store.Hint(store.Errorf(store.Unavailable, "the database is busy: %w", err), "try again")
	case strings.HasPrefix(state, "53"): // out of disk, memory or connections
		return store.Hint(store.Errorf(store.Unavailable, "the database has no room left: %w", err), "try again later; blqd doctor says what it lacks")
	case state == readOnly:
		return store.Hint(store.Errorf(store.Unavailable, "the database cannot be written: %w", err), "try again; blqd doctor says whether it is a replica")
	case state == undefinedTable:
		return store.Hint(store.Errorf(store.Unavailable, "the database lacks a table: %w", err), "blqd migrate   # makes the tables")
	case isDown(err, state):
		return store.Hint(store.Errorf(store.Unavailable, "the database does not answer: %w", err), "try again; blqd doctor says what is wrong")
	}
	return err
}

// isDown says whether the connection failed, or its end was told.
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
