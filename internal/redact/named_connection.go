package redact

import (
	"bytes"
	"slices"
)

// connectionFields are fields that accompany the password in a connection string: host=db user=bob password=VALUE,
// Server=db;User Id=sa;Password=VALUE.
var connectionFields = []string{"user=", "username=", "user id=", "userid=", "uid=", "uri=", "url=",
	"host=", "hostaddr=", "server=", "data source=", "datasource=", "addr=", "address=", "port=",
	"dbname=", "database=", "databasename=", "db=", "initial catalog=", "sslmode=", "driver=", "encrypt="}

// isInConnection reports whether the name is the password in a connection string. Two further fields must be on the
// line, separated by semicolons or by blanks.
func (n *named) isInConnection() bool {
	if n.style != styleAssign && n.style != styleSpaced || !isPassword(n.name) || len(n.name) > len("password") ||
		len(n.value) < 3 {
		return false
	}
	behind, _, _ := cutAt(n.behind[:min(len(n.behind), maxWord/2)], "\n")
	left := thisLine(n.left[max(0, len(n.left)-maxWord/2):])
	mark := byte(';')
	if !hasTail(bytes.TrimRight(left, " "), ";") && !hasHead(behind, ";") {
		mark = ' '
		if n.style == styleSpaced || bytes.IndexByte(left, '=') < 0 {
			return false
		}
	}
	return connectionCount(left, mark)+connectionCount(behind, mark) >= 2
}

// connectionCount returns the number of fields of a connection string in a text. The mark separates fields.
func connectionCount(text []byte, mark byte) (found int) {
	for field := range bytes.SplitSeq(bytes.ToLower(text), []byte{mark}) {
		field = bytes.ReplaceAll(field[bytes.LastIndexAny(field, "\"'`?(")+1:], []byte(" ="), []byte("="))
		if mark == ';' {
			field = bytes.TrimLeft(field, " ")
		}
		if slices.ContainsFunc(connectionFields, func(name string) bool {
			return hasHead(field, name) && len(field) > len(name)
		}) {
			found++
		}
	}
	return found
}
