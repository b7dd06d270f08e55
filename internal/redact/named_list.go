package redact

import (
	"bytes"
	"strings"
)

// readList reads the secrets in a list or map whose name is plural: passwords: [VALUE, VALUE], or YAML lines with -
// VALUE or NAME: VALUE. The list begins at text[at]. readList reports whether it needs more text.
func (n *named) readList(at int) (more bool) {
	name := words(n.name)
	if last := name[len(name)-1]; !isPlural(last) || !n.sure() || !isSecretWord([]byte(last)) {
		return false
	}
	text := n.text[at:min(len(n.text), at+maxBlock)]
	final := n.final || len(text) == maxBlock
	if len(text) > 0 && (text[0] == '[' || text[0] == '(') {
		end := bytes.IndexAny(text, "])\n")
		if end < 0 {
			return !final && len(text) < maxWord
		}
		n.readItems(at, text[:end])
		return false
	}
	head, isBlock := blockHead(text)
	if head == len(text) {
		return !final
	}
	if head == 0 || isBlock || n.style != styleColon {
		return false
	}
	margin := blankLen(thisLine(n.left))
	for line := range bytes.Lines(text[head:]) {
		if line[len(line)-1] != '\n' && !final {
			return true
		}
		indent := blankLen(line)
		value := bytes.TrimRight(line[indent:], " \t\r\n")
		item, isItem := bytes.CutPrefix(value, []byte("- "))
		name, field, isField := cutAt(value, ": ")
		switch {
		case isItem && indent >= margin:
			n.readListed(at+head+len(line[:indent])+len(value)-len(item), item)
		case isField && indent > margin && !isPublicLast(bytes.ToUpper(bytes.Trim(name, "\"' "))):
			n.readListed(at+head+indent+len(value)-len(field), field)
		case len(value) > 0:
			return false
		}
		head += len(line)
	}
	return !final
}

// readItems reads the items of a list on one line.
func (n *named) readItems(at int, list []byte) {
	for from := 1; from < len(list); {
		end := bytes.IndexAny(list[from:], ", ")
		if end < 0 {
			end = len(list) - from
		}
		n.readListed(at+from, list[from:from+end])
		from += end + 1
	}
}

// minListedToken is the min length of a secret in a list with the name tokens. In a list with a longer name, such as
// api_tokens, a shorter item is a secret only if it has a digit. Other short items are often words that a parser calls
// tokens.
const minListedToken = 16

// readListed records an item of a list if the item is a secret.
func (n *named) readListed(from int, item []byte) {
	value := bytes.Trim(item, "\"'`, ")
	v := string(value)
	if v == "" || !isStrong(v) || isTokenKind(v) || isVariable(v) || isPlaceholder(v) || isPath(v) || isLocation(v) ||
		strings.ContainsAny(v, " :(){}@") || strings.Count(v, "/") > 1 ||
		len(v) < minListedToken && (strings.EqualFold(n.name, "tokens") ||
			!hasDigit(v) && strings.HasSuffix(strings.ToLower(n.name), "tokens")) {
		return
	}
	from += bytes.Index(item, value)
	n.cells = append(n.cells, span{from, from, from + len(value)})
}

// readHosts reads the secrets in an object with one secret for each host: "gitlab-token": {"gitlab.com": "VALUE"}.
// text[at:] begins after the colon. readHosts reports whether it needs more text.
func (n *named) readHosts(at int) (more bool) {
	if !n.quoted || !hasHead(n.text[at:], "{") || !n.sure() && n.name != "github-oauth" {
		return false
	}
	text := n.text[at:min(len(n.text), at+maxWord)]
	end := bytes.IndexByte(text, '}')
	if end < 0 {
		if !n.final && len(text) < maxWord {
			return true
		}
		end = len(text)
	}
	for from := 0; ; {
		host := jsonString(text[:end], from)
		gap, ok := fieldGap(text[host.to:end])
		value := jsonString(text[:end], host.to+gap)
		if host.to == 0 || value.to == 0 || !ok {
			return false
		}
		v := string(text[value.from:value.to])
		if bytes.IndexByte(text[host.from:host.to], '.') > 0 && isGiven(v) && value.from == host.to+gap+1 {
			n.cells = append(n.cells, span{at + value.from, at + value.from, at + value.to})
		}
		from = value.to + 1
	}
}
