package formats

import (
	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// phpspecFormat reads phpspec. phpspec lists the failed examples of each class, with the reason below the name.
var phpspecFormat = parse.Format{
	Name:   "phpspec",
	About:  "phpspec of PHP",
	Starts: []string{"----  failed examples", "----  broken examples"},
	Match: func(s *parse.Scan, _ parse.Line) bool {
		s.Block((&phpspec{s: s}).line)
		return true
	},
}

// phpspec reads a list of examples.
type phpspec struct {
	s     *parse.Scan
	class string
	d     *parse.Draft // the newest example
	words parse.Message
}

var phpspecExample = parse.Lines{
	{Text: "{line}  {:✘|!|-} {test} ({#}ms)", Category: store.CategoryTest},
	{Text: "{line}  {:✘|!|-} {test}", Category: store.CategoryTest},
}

// line reads a class ("App/Calculator"), an example ("29  ✘ adds two numbers (5ms)"), or a line of its reason.
func (p *phpspec) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	example, ok := phpspecExample.Read(l.Text)
	switch {
	case text == "":
		p.words.Break()
	case ok:
		// The line number belongs to a file whose name is not printed.
		example.Line, example.Test = 0, p.class+": "+example.Test
		p.d, p.words = p.s.Add(example), parse.Message{}
	case l.Indent() < 4:
		return parse.Done
	case p.d == nil, p.words.Ended():
		p.class, p.d = text, nil
	default:
		p.words.Tell(p.d, text)
		p.d.Extend(l)
	}
	return parse.Take
}
