package store

// What follows a repository to its new name. Runs, facts, results of tests and notes are found by the name of their
// repository, so EnrolRepo gives them the new name in the transaction in which an enrolled repository gets it: whoever
// takes the old name later sees nothing of them. If something is stored under the new name already, it belonged to
// another repository; then all stays where it is.

// movedTables are the tables whose column repo is the name of a repository, in both engines. Rows of claims and of the
// queue do not live long, and usage is counted anew.
var movedTables = []string{"sources", "runs", "pruned", "snapshots", "fact_objects", "commits", "commit_names",
	"doc_sources", "notification_recipients", "notification_reads", "attestations", "realm_sessions", "tests", "test_runs",
	"test_segments", "notes", "realm_news"}

// Moves returns the statements that give what is stored of a repository a new name, as both engines understand them.
// Each has two parameters, the old name and the new one.
func Moves() []string {
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

// IsFree returns a query that reports whether nothing is stored under a name. Its parameter is the name.
func IsFree() string {
	text := "SELECT NOT ("
	for i, table := range movedTables {
		if i > 0 {
			text += " OR "
		}
		text += "EXISTS (SELECT 1 FROM " + table + " WHERE repo = $1)"
	}
	return text + ")"
}
