package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// sconsFormat reads SCons' last words and those of waf.
var sconsFormat = Format{
	Name:   "scons",
	About:  "SCons",
	Starts: []string{"scons: *** ", "scons: building terminated"},
	New:    stateless(matchSCons),
}

func matchSCons(s *Scan, l Line) bool {
	message, ok := strings.CutPrefix(l.Trim(), "scons: *** ")
	if !ok {
		return true
	}
	d := Draft{Event: store.Event{Message: message, Category: store.CategoryBuild}}
	if i := strings.Index(message, "] Error "); strings.HasPrefix(message, "[") && i > 0 {
		d.Weight = Repeat
	}
	added := s.Add(d)
	s.Block(func(l Line) Verdict { // "File "/x/SConstruct", line 3, in <module>"
		rest, ok := strings.CutPrefix(l.Trim(), `File "`)
		file, at, found := strings.Cut(rest, `", line `)
		if n, _ := number(at); ok && found && n > 0 {
			added.At(file, n, 0)
			added.Extend(l)
			return Last
		}
		return Done
	})
	return true
}
