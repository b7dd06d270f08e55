package redact

import "strings"

// Learn adds the secrets in a command line as values, so that they are replaced wherever the command prints them. It
// does not add values that may be ordinary words. It learns nothing from a command longer than maxLearned.
func (r *Redactor) Learn(command string) {
	if r == nil || command == "" || len(command) > maxLearned {
		return
	}
	found := scan{set: r.set.Load(), text: []byte(command), final: true, deaf: true, command: true, learn: true}
	if found.closed {
		return
	}
	found.run()
	var values []string
	for _, s := range found.spans {
		if v := command[s.from:s.to]; isLearned(v) {
			values = append(values, v)
		}
	}
	r.add(false, values)
}

// maxLearned is the max length in bytes of a command from which secrets are learned.
const maxLearned = 1 << 20

// isLearned reports whether Learn adds a value. It returns false for values that a log may contain for another reason,
// such as words, numbers and paths.
func isLearned(v string) bool {
	letters, digits, others := count(v)
	return !isOrdinary(v) && !strings.ContainsAny(v, "\r\n") && !isName(v) && !isVariable(v) && !isPath(v) &&
		(digits > 0 && letters > 0 || others > 0 && letters > 0 && len(v) >= 8 || len(v) >= 20)
}
