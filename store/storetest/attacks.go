package storetest

import (
	"fmt"
	"maps"
	"strings"
)

// Attacks returns statements that need much memory or time, by name.
func Attacks() map[string]string {
	all := maps.Clone(attacks)
	maps.Copy(all, relatives)
	return all
}

// attacks holds statements that need much memory or time: when they are prepared, when they run, or for their answer.
var attacks = map[string]string{
	"doubling tables":           doubling(30, "1 AS x"),
	"doubling tables of events": doubling(12, "message AS x FROM lq_events"),
	"joins":                     "SELECT count(*) FROM lq_events" + joins(30),
	"stars":                     "SELECT * FROM " + product(20),
	"nested":                    "SELECT " + strings.Repeat("(SELECT ", 150) + "1" + strings.Repeat(")", 150),
	"parentheses":               "SELECT " + strings.Repeat("(", 49_000) + "1" + strings.Repeat(")", 49_000),
	"long":                      "SELECT " + strings.Repeat("1+", 49_000) + "1",
	"long list":                 "SELECT 1 IN (" + strings.Repeat("1,", 49_000) + "1)",
	"rows of VALUES":            "VALUES (1)" + strings.Repeat(",(1)", 24_000),
	"cases":                     "SELECT CASE 1 " + strings.Repeat("WHEN 0 THEN 0 ", 7_000) + "END",
	"comment":                   "SELECT /*" + strings.Repeat("*", 90_000) + "*/ count(*) FROM " + product(3),
	"long names": "SELECT a.*" + strings.Repeat(", a.*", 49) +
		" FROM (SELECT 1 AS " + strings.Repeat("x", 90_000) + ") a",

	"wide columns":       wide(10),
	"sixty wide columns": wide(60),
	"wide union":         large + "SELECT v FROM w" + strings.Repeat(" UNION SELECT v || 1 FROM w", 49),
	"wide union of all":  large + "SELECT v FROM w" + strings.Repeat(" UNION ALL SELECT v FROM w", 49),
	"many rows":          counting("SELECT n, n, n, n, n FROM c"),
	"wide rows":          counting("SELECT " + strings.Repeat("NULL, ", 499) + "NULL FROM c"),

	"hex":     "SELECT hex(hex(hex(printf('%900000d', 1))))",
	"unhex":   "SELECT hex(unhex(printf('%07000000d', 0)))",
	"quote":   "SELECT quote(replace(printf('%4000000d', 1), ' ', ''''))",
	"format":  "SELECT format('%.*c', 2000000000, 'x')",
	"digits":  "SELECT printf('%.100000000f', 1.0)",
	"replace": "SELECT length(replace(printf('%8000000d', 1), ' ', 'xx'))",
	"replaces": "SELECT length(replace(replace(printf('%4000000d', 1), ' ', 'ab'), 'a', 'b')) " +
		"FROM lq_events a, lq_events b",
	"instr":  endless,
	"like":   "SELECT printf('%1000000d', 1) LIKE '" + strings.Repeat("%_ ", 300) + "z'",
	"glob":   "SELECT printf('%1000000d', 1) GLOB '" + strings.Repeat("* ?", 300) + "z'",
	"trim":   "SELECT length(trim(printf('%7000000d', 1), printf('%7000000d', 2)))",
	"substr": "SELECT length(substr(printf('%7000000d', 1), -1)) FROM lq_events a, lq_events b",
	"NUL": "SELECT length(replace(char(0) || printf('%8000000d', 1), char(0), 'x')) " +
		"FROM " + product(2) + "\x00 none",
	"text":        counting("SELECT group_concat(printf('%1000d', n)) FROM c"),
	"text of all": "SELECT group_concat(e0.message || e1.message || e2.message) FROM " + product(3),

	"JSON list":   counting("SELECT json_group_array(n) FROM c"),
	"JSON object": counting("SELECT json_group_object(n, printf('%100d', n)) FROM c"),
	"JSON tree":   "SELECT count(*) FROM json_tree(" + zeros(3_000_000) + ")",
	"JSON joins": "SELECT count(*) FROM json_each(" + zeros(100_000) + ") a, " +
		"json_each(" + zeros(100_000) + ") b",
	"JSON patches": "SELECT json_patch(j, j) " +
		"FROM (SELECT json_group_object(key, value) AS j FROM json_each(" + zeros(1e6) + "))",
	"JSON nested": "SELECT json(replace(printf('%1000000d', 1), ' ', '['))",
	"JSON pretty": "SELECT length(json_pretty(replace(printf('%900d', 1), ' ', '[') || " +
		"replace(printf('%899s', ''), ' ', ']')))",

	"sorting": counting("SELECT max(v) FROM (SELECT printf('%1000d', n) AS v FROM c ORDER BY v LIMIT -1 OFFSET 1)"),
	"sorting large values": counting("SELECT length(v) FROM (SELECT printf('%1000000d', n) AS v FROM c LIMIT 1000) " +
		"ORDER BY v"),
	"groups":   counting("SELECT count(*) FROM (SELECT printf('%1000d', n) FROM c GROUP BY 1)"),
	"distinct": counting("SELECT count(DISTINCT printf('%1000d', n)) FROM c"),
	"tiles":    counting("SELECT max(v) FROM (SELECT ntile(9) OVER (ORDER BY -n) AS v FROM c)"),
	"window": counting("SELECT sum(length(v)) FROM (SELECT group_concat(n) OVER (ORDER BY n " +
		"ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS v FROM c)"),
	"frames": counting("SELECT max(v) FROM (SELECT group_concat(printf('%999d', n)) " +
		"OVER (ORDER BY n ROWS 100000 PRECEDING) AS v FROM c)"),
	"window of a join": "SELECT max(v) FROM (SELECT sum(a.event_id) OVER (ORDER BY b.event_id " +
		"ROWS BETWEEN 5000 PRECEDING AND 5000 FOLLOWING) AS v FROM lq_events a, lq_events b)",
	"materialized table": counting(", m AS MATERIALIZED (SELECT printf('%1000d', n) AS v FROM c) " +
		"SELECT count(*) FROM m a JOIN m b USING (v)"),

	"blob of zeros":     "SELECT length(replace(zeroblob(900000000), x'00', x'0101'))",
	"random blobs":      counting("SELECT sum(length(hex(randomblob(900000)))) FROM c"),
	"tables of pragmas": "SELECT count(*) FROM pragma_function_list a, pragma_function_list b, pragma_function_list c",
	"nested conditions": "SELECT 1 WHERE " + strings.Repeat("EXISTS (SELECT 1 FROM lq_events WHERE ", 90) + "1" +
		strings.Repeat(")", 90),
	"window of JSON": counting("SELECT max(v) FROM (SELECT json_group_array(n) OVER (ORDER BY n) AS v FROM c)"),
	"nested recursion": counting("SELECT (WITH RECURSIVE d(m) AS (SELECT n UNION ALL SELECT m + 1 FROM d) " +
		"SELECT max(m) FROM d) FROM c"),
	"far offset": "SELECT 1 FROM " + product(3) + " LIMIT 1 OFFSET 9000000000000",

	"recursion": "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c",
	"recursion without repetition": "WITH RECURSIVE c(n, v) AS (SELECT 1, 'x' UNION SELECT n + 1, printf('%1000d', n) " +
		"FROM c) SELECT count(*) FROM c",
	"growing":    "WITH RECURSIVE c(v) AS (SELECT 'x' UNION ALL SELECT v || v FROM c) SELECT length(v) FROM c",
	"attached":   "ATTACH '/tmp/x' AS y; SELECT count(*) FROM " + product(3),
	"parameters": "SELECT ?32000, " + strings.Repeat("?1 || ", 15_000) + "?2",
	"long pattern": "SELECT count(*) FROM " + product(2) + " WHERE e0.message || printf('%900000d', 1) LIKE '" +
		strings.Repeat("%_", 25_000) + "z'",
	"collations": "SELECT count(DISTINCT e0.message COLLATE NOCASE) FROM " + product(3) +
		" ORDER BY max(e0.message) COLLATE RTRIM" + strings.Repeat(" COLLATE NOCASE", 900),
	"deep expression": "SELECT " + strings.Repeat("NOT (1 AND ", 900) + "1" + strings.Repeat(")", 900),
	"deep functions": "SELECT " + strings.Repeat("length(hex(", 450) + "printf('%9000000d', 1)" +
		strings.Repeat("))", 450),

	"no index": "SELECT count(*) FROM " + product(4) + " WHERE e0.message || e1.message || e2.message = e3.message",
	"no row": "SELECT count(*) FROM " + product(3) +
		" WHERE e0.message < '' AND e1.message < '' OR e0.event_id + e1.event_id + e2.event_id < 0",
}

// endless is a statement during which SQLite does not check for an interrupt.
const endless = "SELECT instr(printf('%8000000d', 1), printf('%4000000d', 2))"

const large = "WITH w(v) AS (SELECT printf('%8000000d', 1)) "

// doubling returns a statement with n tables. Each table is twice as large as the previous table. SQLite does the work
// when it prepares the statement.
func doubling(n int, first string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "WITH a0 AS (SELECT %s)", first)
	for i := range n {
		fmt.Fprintf(&b, ", a%d AS (SELECT x FROM a%d UNION ALL SELECT x FROM a%d)", i+1, i, i)
	}
	fmt.Fprintf(&b, " SELECT count(*) FROM a%d", n)
	return b.String()
}

// wide returns a statement with n wide columns.
func wide(n int) string {
	return "WITH w(v) AS (SELECT printf('%7000000d', 1)) SELECT v" + strings.Repeat(", v || 1", n-1) + " FROM w"
}

// counting returns a statement with a table c of the numbers from 1 to 50 million. The statement ends with rest.
func counting(rest string) string {
	if !strings.HasPrefix(rest, ",") {
		rest = " " + rest
	}
	return "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 50000000)" + rest
}

// product returns the FROM clause of a cross join of n tables of events: "lq_events e0, lq_events e1".
func product(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("lq_events e%d", i))
	}
	return strings.Join(list, ", ")
}

// joins returns SQL that joins n tables of events.
func joins(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " JOIN lq_events e%d USING (ref)", i)
	}
	return b.String()
}

// zeros returns an expression for a list of n zeros as JSON.
func zeros(n int) string {
	return fmt.Sprintf("'[' || replace(printf('%%%dd', 0), ' ', '0,') || ']'", n)
}
