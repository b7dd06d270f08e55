package store

import (
	"context"
	"fmt"
)

// Data of a repository is stored under the repository's name, and a name can pass to another repository. This happens
// if an owner renames or withdraws a repository, and another repository takes the name. So the directory also stores
// where the data of withdrawn repositories is. EnrolRepo moves data in its transaction:
//
//   - Data of the repository moves to its new name, even if the repository was withdrawn in between.
//   - Data of another repository under the new name is set aside, under a name that no forge allows. The data stays
//     there until the other repository is enrolled again.
//
// Some data is under a name that was never enrolled. Such data came with a token that an operator made for the name.
// The first repository that is enrolled under the name gets this data, unless it brings data from another name. In
// that case the data under the name is set aside.

// setAside is the prefix of the names under which data is set aside. No forge allows such names.
const setAside = "~withdrawn/"

// movedTables are the tables with a column repo for the name of a repository, in both engines. Claims and rows of the
// queue are missing because they are short-lived, and usage because MoveUsage moves it.
var movedTables = []string{"sources", "runs", "pruned", "snapshots", "fact_objects", "commits", "commit_names",
	"doc_sources", "notification_recipients", "notification_reads", "attestations", "realm_sessions", "tests", "test_runs",
	"test_segments", "notes", "realm_news"}

// EnrolTx is the part of an engine's transaction that GiveName needs. The parameters of a statement are $1, $2 and so
// on.
type EnrolTx interface {
	Exec(ctx context.Context, text string, args ...any) error
	// Row reads the first row, and reports whether there is one.
	Row(ctx context.Context, text string, args []any, into ...any) (bool, error)
	// ForUpdate returns a clause for the end of a query. With this clause, the rows that the query reads stay locked
	// until the transaction ends. The clause is "" if the engine needs none.
	ForUpdate() string
	// Lock makes callers that start runs under the given names wait until the transaction ends.
	Lock(ctx context.Context, names ...string) error
	// MoveUsage moves the counted usage of one name to another name. MoveTokens does the same with the rights of
	// tokens.
	MoveUsage(ctx context.Context, from, to string) error
	MoveTokens(ctx context.Context, from, to string) error
}

// GiveName moves data so that all data of the repository r, and only that, is under the name of r. Engines call it
// before the directory records that r has the name.
func GiveName(ctx context.Context, tx EnrolTx, r EnrolledRepo) error {
	home, enrolled, err := homeOf(ctx, tx, r)
	if err != nil {
		return err
	}
	if home != "" && !enrolled {
		if err := tx.Exec(ctx, `DELETE FROM directory_past WHERE host = $1 AND id = $2`, r.Host, r.ID); err != nil {
			return err
		}
	}
	if home == r.Name {
		return nil
	}
	if err := tx.Lock(ctx, home, r.Name); err != nil {
		return err
	}
	taken, err := clearPast(ctx, tx, r.Name)
	if err != nil {
		return err
	}
	if home != "" {
		if err := clearUnknown(ctx, tx, r.Name); err != nil {
			return err
		}
		if err := moveName(ctx, tx, home, r.Name, true); err != nil {
			return err
		}
	}
	if taken || home != "" {
		return tx.Exec(ctx, `UPDATE directory_handovers SET n = n + 1`)
	}
	return nil
}

// homeOf returns the name under which all data of a repository is stored. It returns "" if the repository was never
// enrolled. enrolled reports whether the repository is enrolled now.
func homeOf(ctx context.Context, tx EnrolTx, r EnrolledRepo) (name string, enrolled bool, err error) {
	for _, table := range []string{"directory_repos", "directory_past"} {
		found, err := tx.Row(ctx, `SELECT name FROM `+table+` WHERE host = $1 AND id = $2`+tx.ForUpdate(),
			[]any{r.Host, r.ID}, &name)
		if found || err != nil {
			return name, table == "directory_repos", err
		}
	}
	return "", false, nil
}

// clearPast sets aside the data under a name if the name belongs to a withdrawn repository. It reports whether there is
// such a repository.
func clearPast(ctx context.Context, tx EnrolTx, name string) (bool, error) {
	var past, host string
	var id int64
	found, err := tx.Row(ctx, `SELECT name, host, id FROM directory_past WHERE lower(name) = lower($1)`+tx.ForUpdate(),
		[]any{name}, &past, &host, &id)
	if !found || err != nil {
		return false, err
	}
	aside := fmt.Sprintf("%s%s-%d", setAside, host, id)
	err = tx.Exec(ctx, `UPDATE directory_past SET name = $3 WHERE host = $1 AND id = $2`, host, id, aside)
	if err != nil {
		return false, err
	}
	return true, moveName(ctx, tx, past, aside, true)
}

// clearUnknown sets aside the data that clearPast left under a name. Such data belongs to no repository that was ever
// enrolled. clearUnknown does not change the tokens with which the data was written.
func clearUnknown(ctx context.Context, tx EnrolTx, name string) error {
	var free bool
	if _, err := tx.Row(ctx, isFree(), []any{name}, &free); free || err != nil {
		return err
	}
	var n int64
	if _, err := tx.Row(ctx, `SELECT coalesce(max(id), 0) + 1 FROM directory_past WHERE host = ''`, nil, &n); err != nil {
		return err
	}
	aside := fmt.Sprintf("%sunknown-%d", setAside, n)
	if err := tx.Exec(ctx, `INSERT INTO directory_past (host, id, name) VALUES ('', $1, $2)`, n, aside); err != nil {
		return err
	}
	return moveName(ctx, tx, name, aside, false)
}

// moveName moves data from one name to another name. There must be no data under the new name. If tokens is true, the
// rights of tokens also move.
func moveName(ctx context.Context, tx EnrolTx, from, to string, tokens bool) error {
	for _, text := range moves() {
		if err := tx.Exec(ctx, text, from, to); err != nil {
			return err
		}
	}
	if tokens {
		if err := tx.MoveTokens(ctx, from, to); err != nil {
			return err
		}
	}
	return tx.MoveUsage(ctx, from, to)
}

// moves returns the statements that move the data of a repository to another name, in SQL for both engines. Each
// statement has two parameters: the old name and the new name.
func moves() []string {
	list := []string{`
		INSERT INTO repos (name, last_serial)
		SELECT $2, last_serial FROM repos WHERE name = $1
		ON CONFLICT (name) DO UPDATE
		SET last_serial = CASE WHEN repos.last_serial < excluded.last_serial THEN excluded.last_serial
			ELSE repos.last_serial END`}
	for _, table := range movedTables {
		list = append(list, `UPDATE `+table+` SET repo = $2 WHERE repo = $1`)
	}
	return list
}

// isFree returns a query that reports whether there is no data under a name. The parameter of the query is the name.
func isFree() string {
	text := "SELECT NOT ("
	for i, table := range movedTables {
		if i > 0 {
			text += " OR "
		}
		text += "EXISTS (SELECT 1 FROM " + table + " WHERE repo = $1)"
	}
	return text + ")"
}
