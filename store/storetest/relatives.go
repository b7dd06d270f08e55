package storetest

import "strings"

// relatives holds statements that are similar to those in attacks, but need memory or time in other places of SQLite.
var relatives = map[string]string{
	"recursion with a window": "WITH RECURSIVE c(n, s) AS (SELECT 1, 1 UNION ALL SELECT n + 1, s + n FROM c), " +
		"w AS (SELECT n, lag(s, 1000) OVER (PARTITION BY n % 7 ORDER BY s DESC) AS l FROM c) SELECT max(l) FROM w",
	"JSON bombs": "WITH RECURSIVE b(d, j) AS (SELECT 1, '[1,2,3,4,5,6,7,8]' UNION ALL SELECT d + 1, " +
		"json_array(json(j), json(j), json(j), json(j)) FROM b WHERE d < 20) SELECT count(*) FROM b, json_tree(b.j)",
	"JSON paths":  "SELECT json_extract(" + zeros(1_000_000) + strings.Repeat(", '$[#-1]'", 95) + ")",
	"JSON binary": "SELECT length(hex(jsonb(" + zeros(3_500_000) + ")))",
	"JSON strings": "SELECT length(json_quote(json_quote(json_quote(json_quote(replace(printf('%900000d', 1), ' ', " +
		"'\"\\'))))))",
	"many formats": "SELECT length(printf('" + strings.Repeat("%9000d", 8000) + "', 1))",
	"replace to long texts": "SELECT length(replace(printf('%3000d', 1), ' ', printf('%3000d', 1))) " +
		"FROM " + product(2),
	"series": "SELECT count(*) FROM generate_series(1, 9000000000) a, generate_series(1, 9000000000) b",
	"regexp": "SELECT count(*) FROM " + product(2) + " WHERE e0.message || e1.message REGEXP '" +
		strings.Repeat("(a|a|b*)*", 200) + "$'",
	"LIKE with an escape": "SELECT count(*) FROM " + product(2) + " WHERE e0.message || e1.message LIKE '" +
		strings.Repeat("%m!_%", 190) + "' ESCAPE '!'",
	"GLOB with sets": "SELECT replace(printf('%200000d', 1), ' ', 'a') GLOB '" +
		strings.Repeat("*[!b-z]*[a-m]", 70) + "z'",
	"sorting wide rows": counting("SELECT count(*) FROM (SELECT " + strings.Repeat("printf('%99d', n), ", 400) +
		"n AS x FROM c ORDER BY " + strings.Repeat("-n, ", 60) + "n LIMIT 99999999 OFFSET 1)"),
	"sorting in all orders": "SELECT count(*) FROM (SELECT * FROM " + product(2) +
		" ORDER BY e0.message COLLATE NOCASE DESC, e1.message COLLATE RTRIM, e0.message || e1.message " +
		"LIMIT -1 OFFSET 1)",
	"texts of all groups": "SELECT max(length(g)) FROM " +
		"(SELECT group_concat(e0.message || e1.message, e1.message) AS g FROM " + product(2) +
		" GROUP BY e0.event_id % 9)",
	"texts in order": "SELECT length(group_concat(DISTINCT e0.message || e1.event_id)), " +
		"length(string_agg(e0.message, e1.message ORDER BY e1.message DESC)) FROM " + product(2),
	"random texts": "WITH RECURSIVE c(v) AS (SELECT hex(randomblob(1000000)) UNION ALL " +
		"SELECT hex(randomblob(1000000)) FROM c) SELECT count(DISTINCT v) FROM c",
	"joined texts":     "SELECT length(" + strings.Repeat("printf('%990000d', 1) || ", 190) + "'')",
	"joined arguments": "SELECT length(concat(" + strings.Repeat("printf('%990000d', 1), ", 95) + "''))",
	"characters":       "SELECT length(char(" + strings.Repeat("1114111, ", 95) + "1)) FROM " + product(3),
	"explained":        "EXPLAIN " + doubling(30, "1 AS x"),
	"explained plan":   "EXPLAIN QUERY PLAN " + doubling(14, "message AS x FROM lq_events"),
	"pragma":           "PRAGMA cache_size = -9000000",
	"virtual table":    "CREATE VIRTUAL TABLE temp.x USING fts5(y)",
	"pages":            "SELECT sum(length(data)) FROM sqlite_dbpage a, dbstat b",
	"vacuum":           "VACUUM INTO '/tmp/blq-attack'",
	"temporary table":  "CREATE TEMP TABLE x AS SELECT * FROM lq_events a, lq_events b",
	"load":             "SELECT load_extension('/tmp/x'), readfile('/etc/passwd'), writefile('/tmp/x', x'00')",
	"full outer joins": "SELECT count(*) FROM lq_events a FULL JOIN lq_events b ON a.message > b.message " +
		"FULL JOIN lq_events c ON c.message < b.message",
	"excepts": "SELECT count(*) FROM (SELECT a.message || b.message FROM lq_events a, lq_events b EXCEPT " +
		"SELECT a.message FROM lq_events a INTERSECT SELECT a.message || b.event_id FROM lq_events a, lq_events b)",
	"percentages": counting("SELECT max(p) FROM (SELECT percent_rank() OVER w + cume_dist() OVER w AS p FROM c " +
		"WINDOW w AS (PARTITION BY n % 3 ORDER BY printf('%99d', n) GROUPS BETWEEN 9 PRECEDING AND CURRENT ROW))"),
	"nested views": nestedTables(60),
	"many windows": "SELECT " + strings.Repeat("sum(event_id) OVER (ORDER BY message || event_id), ", 60) +
		"1 FROM lq_events",
}

// nestedTables returns a statement with n levels of tables within tables, each of which is sorted.
func nestedTables(n int) string {
	return strings.Repeat("SELECT x || 'y' AS x FROM (", n) + "SELECT message AS x FROM lq_events" +
		strings.Repeat(" ORDER BY x LIMIT 99999999)", n)
}
