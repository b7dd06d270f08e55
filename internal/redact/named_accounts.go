package redact

import (
	"bytes"
)

// readAccounts reads the passwords that cloud-init sets. They are in a list below the word chpasswd, in lines such as
// bob:VALUE. n.text[at:] begins after the separator. readAccounts reports whether it needs more text.
func (n *named) readAccounts(at int) (more bool) {
	if n.name != "chpasswd" || len(bytes.Trim(thisLine(n.left), "- ")) > 0 {
		return false
	}
	text := n.text[at:min(len(n.text), at+maxBlock)]
	final := n.final || len(text) == maxBlock
	margin := blankLen(thisLine(n.left))
	inList := false
	from := 0
	for line := range bytes.Lines(text) {
		if line[len(line)-1] != '\n' && !final {
			return true
		}
		body := bytes.TrimSpace(line)
		if from > 0 && len(body) > 0 && blankLen(line) <= margin {
			return false
		}
		if i := indexOf(line, "list:"); i >= 0 {
			inList = true
			n.readUsers(at+from+i+len("list:"), line[i+len("list:"):])
		} else if inList {
			n.readUsers(at+from, line)
		}
		from += len(line)
	}
	return !final
}

// readUsers records the password of each "user:password" in a line. The line begins at n.text[at].
func (n *named) readUsers(at int, line []byte) {
	for from := 0; from < len(line); {
		from += len(line[from:]) - len(bytes.TrimLeft(line[from:], " \t\"'[],|-{}"))
		end := bytes.IndexAny(line[from:], " \t\r\n\"'],}")
		if end < 0 {
			end = len(line) - from
		}
		user, password, ok := cutAt(line[from:from+end], ":")
		if v := string(password); ok && len(user) > 0 && v != "" && v != "R" && v != "RANDOM" && !isVariable(v) {
			position := at + from + len(user) + 1
			n.cells = append(n.cells, span{position, position, position + len(v)})
		}
		from += max(1, end)
	}
}
