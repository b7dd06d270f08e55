package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// summary returns the block of the short test summary.
func (p *pytest) summary(s *parse.Scan) func(parse.Line) parse.Verdict {
	rest := 0 // remaining lines of a wrapped message
	return func(l parse.Line) parse.Verdict {
		text := strings.TrimRight(l.Text, " ")
		switch {
		case strings.HasPrefix(text, "=") || strings.HasPrefix(text, "!!!"):
			return parse.Done
		case pytestOver(text):
			p.over(s, text)
			return parse.Last
		case p.summaryLine(s, text):
			rest = 40
			return parse.Take
		}
		word, _, _ := strings.Cut(text, " ")
		if len(word) > 3 && word == strings.ToUpper(word) && word[0] >= 'A' {
			rest = 40
			return parse.Take
		}
		if rest--; rest < 0 {
			return parse.Done
		}
		return parse.Take
	}
}

// summaryLine reads "FAILED a.py::test - message".
func (p *pytest) summaryLine(s *parse.Scan, text string) bool {
	word, rest, ok := strings.Cut(text, " ")
	if strings.HasPrefix(word, "SUBFAIL") {
		word, rest = cutSubtest(text)
	}
	kind := map[string]byte{"FAILED": 'F', "ERROR": 'E', "SUBFAIL": 'F', "SUBFAILED": 'F'}[word]
	if !ok || kind == 0 {
		return false
	}
	node, message := cutNode(rest)
	if !isNodeID(node) && (strings.ContainsAny(node, " ") || !strings.ContainsAny(node, "./") || !p.running) {
		return false
	}
	p.failed = true
	list := strings.IndexByte("FE", kind)
	at := p.summed[list]
	p.summed[list]++
	file, tail := nodeTail(node)
	key := p.key(kind, "sum", tail)
	d := p.details[key]
	if d == nil && at < len(p.order[list]) {
		d = p.order[list][at]
	}
	if d != nil {
		d.Test = node
		if d.File == "" {
			d.File = file
		}
		if strings.HasPrefix(word, "SUB") {
			d.Test = strings.TrimSpace(node + subtestName(d.Key))
		}
		return true
	}
	if message == "" {
		message = "test " + map[byte]string{'F': "failed", 'E': "error"}[kind]
	}
	s.Add(parse.Draft{Event: store.Event{File: file, Message: message, Category: store.CategoryTest, Test: node},
		Key: key, Rank: parse.Summary})
	return true
}

// cutSubtest removes the description from "SUBFAILED[message] (i=1) a.py::test".
func cutSubtest(text string) (word, rest string) {
	word = cutAt(cutAt(cutAt(text, ' '), '['), '(')
	rest = text[len(word):]
	for _, ends := range [...]string{"[]", "()"} {
		if i := strings.Index(rest, ends[1:]+" "); i > 0 && strings.TrimLeft(rest, " ")[0] == ends[0] {
			rest = rest[i+1:]
		}
	}
	return word, strings.TrimSpace(rest)
}

// subtestName returns the text after the test's name in the header of a subtest.
func subtestName(key string) string {
	if i := strings.IndexByte(key, ' '); i > 0 {
		return key[i:strings.LastIndexByte(key, '#')]
	}
	return ""
}

func cutAt(s string, c byte) string {
	if i := strings.IndexByte(s, c); i >= 0 {
		return s[:i]
	}
	return s
}

// cutNode splits "node - message". A parameter in brackets may contain " - ".
func cutNode(text string) (node, message string) {
	for i := 0; i < len(text); {
		j := strings.Index(text[i:], " - ")
		if j < 0 {
			break
		}
		if head := text[:i+j]; strings.IndexByte(head, '[') < 0 || strings.HasSuffix(head, "]") {
			return head, text[i+j+3:]
		}
		i += j + 3
	}
	if i := strings.Index(text, "] - "); i > 0 {
		return text[:i+1], text[i+4:]
	}
	return text, ""
}

// warnings returns the block of the warnings summary. A warning has the tests that caused it, and then an indented line
// with place, class and message.
func (p *pytest) warnings(s *parse.Scan) func(parse.Line) parse.Verdict {
	var d *parse.Draft
	return func(l parse.Line) parse.Verdict {
		text := strings.TrimRight(l.Text, " ")
		switch {
		case pytestOver(text):
			p.over(s, text)
			return parse.Last
		case strings.HasPrefix(text, "===") || strings.HasPrefix(text, "-- Docs:"):
			return parse.Done
		case strings.HasPrefix(text, "    "):
			if d != nil {
				d.Extend(l)
			}
		case strings.HasPrefix(text, "  "):
			d = addPythonWarning(s, text[2:], store.CategoryTest)
		}
		return parse.Take
	}
}
