package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// sconsFormat reads the final errors of SCons.
var sconsFormat = parse.Format{
	Name:   "scons",
	About:  "SCons",
	Starts: []string{"scons: *** ", "scons: building terminated"},
	Match:  matchSCons,
}

func matchSCons(s *parse.Scan, l parse.Line) bool {
	message, ok := strings.CutPrefix(l.Trim(), "scons: *** ")
	if !ok {
		return true
	}
	d := parse.Draft{Event: store.Event{Message: message, Category: store.CategoryBuild}}
	if i := strings.Index(message, "] Error "); strings.HasPrefix(message, "[") && i > 0 {
		d.Weight = parse.Repeat
	}
	added := s.Add(d)
	s.Block(func(l parse.Line) parse.Verdict { // "File "/x/SConstruct", line 3, in <module>"
		rest, ok := strings.CutPrefix(l.Trim(), `File "`)
		file, at, found := strings.Cut(rest, `", line `)
		if n, _ := parse.Number(at); ok && found && n > 0 {
			added.At(file, n, 0)
			added.Extend(l)
			return parse.Last
		}
		return parse.Done
	})
	return true
}
