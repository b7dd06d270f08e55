package store

import (
	"context"
	"fmt"
)

// What is stored of a repository is found by its name, and a name can change hands: its repository is renamed or its
// owner withdraws it, and another one takes the name. So the directory also keeps where the runs of repositories lie
// that are not enrolled any more, and EnrolRepo moves in its transaction what has to move:
//
//   - what is stored of the repository follows it to its new name, also when it was withdrawn in between;
//   - what is stored of another one under that name is set aside, under a name that no forge gives, until that one is
//     enrolled again.
//
// Only what lies under a name that was never enrolled goes to the first that is enrolled under it. It came with a token
// that an operator made for the name. It does not go to a repository that brings its own from another name.

// setAside begins the names under which runs lie whose name another repository has taken. Forges do not give it.
const setAside = "~withdrawn/"

// movedTables are the tables whose column repo is the name of a repository, in both engines. Rows of claims and of the
// queue do not live long, and usage is counted again.
var movedTables = []string{"sources", "runs", "pruned", "snapshots", "fact_objects", "commits", "commit_names",
	"doc_sources", "notification_recipients", "notification_reads", "attestations", "realm_sessions", "tests", "test_runs",
	"test_segments", "notes", "realm_news"}

// EnrolTx is what GiveName needs of an engine's transaction. The parameters of statements are $1, $2 and so on.
type EnrolTx interface {
	Exec(ctx context.Context, text string, args ...any) error
	// Row reads the first row and reports whether there is one.
	Row(ctx context.Context, text string, args []any, into ...any) (bool, error)
	// ForUpdate ends queries whose rows nobody else may change before the transaction ends.
	ForUpdate() string
	// Lock lets those who start runs of some names wait until the transaction ends.
	Lock(ctx context.Context, names ...string) error
	// MoveUsage moves what is counted of a name, MoveTokens what tokens may do with it.
	MoveUsage(ctx context.Context, from, to string) error
	MoveTokens(ctx context.Context, from, to string) error
}

// GiveName moves what is stored so that all of a repository lies under its name, and nothing of another one. Engines
// call it before the directory has that name.
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

// homeOf returns the name under which all of a repository lies, "" for one that was never enrolled, and whether it is
// enrolled.
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

// clearPast sets aside what lies under a name and belongs to a repository that was withdrawn. It reports whether there
// was one.
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

// clearUnknown sets aside what lies under a name and belongs to no repository that was ever enrolled. The tokens that
// wrote it stay as they are.
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

// moveName gives what is stored under a name another one, under which nothing is stored.
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

// moves returns the statements that give what is stored under a name another one, as both engines understand them. Each
// has two parameters, the old name and the new one.
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

// isFree returns a query that reports whether nothing is stored under a name. Its parameter is the name.
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
