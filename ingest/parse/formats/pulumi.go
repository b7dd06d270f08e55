package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// pulumiFormat reads the diagnostics that Pulumi lists by resource at the end.
var pulumiFormat = parse.Format{
	Name:   "pulumi",
	About:  "Pulumi: diagnostics of resources and programs",
	Starts: []string{"Diagnostics:"},
	Match:  matchPulumi,
}

func matchPulumi(s *parse.Scan, l parse.Line) bool {
	if l.Trim() != "Diagnostics:" {
		return false
	}
	s.Block((&pulumi{s: s}).line)
	return true
}

// pulumi reads "  aws:s3:Bucket (logs):" and the errors of that resource, which have four leading blanks.
type pulumi struct {
	s        *parse.Scan
	resource string
	d        *parse.Draft
	msg      parse.Message
	trace    jsTrace
}

var pulumiFinding = parse.Lines{{Text: "{severity:error|warning}: {message}", Category: store.CategoryRuntime}}

func (p *pulumi) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	resource, ok := strings.CutSuffix(text, "):")
	switch {
	case text == "":
		p.msg.Add("")
		return parse.Take
	case l.Indent() < 2:
		return parse.Done
	case l.Indent() == 2 && ok && strings.Contains(resource, " ("):
		p.resource, p.d = resource+")", nil
		return parse.Take
	}
	if d, ok := pulumiFinding.Read(text); ok && l.Indent() == 4 {
		if d.Code, _, _ = strings.Cut(p.resource, " "); d.Message == "update failed" || d.Message == "preview failed" {
			d.Weight = parse.Repeat
		}
		p.msg, p.trace = parse.Message{}, jsTrace{}
		p.msg.Add(d.Message)
		p.d = p.s.Add(d)
		return parse.Take
	}
	if p.d == nil {
		return parse.Take // output of a program
	}
	if p.d.Extend(l); p.trace.add(text) {
		p.msg.End()
		p.trace.tell(p.d)
	} else if !p.trace.seen {
		p.msg.Tell(p.d, strings.TrimPrefix(text, "* "))
	}
	return parse.Take
}
