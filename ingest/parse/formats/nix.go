package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// nixFormat reads Nix: failed derivations, and expressions that cannot be evaluated.
var nixFormat = parse.Format{
	Name:  "nix",
	About: "Nix: failed builders, evaluation errors",
	Triggers: []string{
		"builder for '/nix/store/", "dependencies of derivation '/nix/store/", "Cannot build '/nix/store/", ".nix:",
	},
	Match: matchNix,
}

func matchNix(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if p, rest, ok := parse.PlaceAt(strings.TrimPrefix(text, "at ")); ok && strings.HasPrefix(text, "at ") {
		d := s.Newest() // the error above has no place
		if d == nil || rest != "" || d.Tool != "nix" || d.Category != store.CategoryCompile || l.N > d.LogLineEnd+8 {
			return false
		}
		d.File, d.Line, d.Column = p.File, p.Line, p.Column // the innermost place comes last
		d.Extend(l)
		return true
	}
	message, ok := strings.CutPrefix(text, "error: ")
	if !ok {
		return false
	}
	d := parse.Draft{Event: store.Event{Message: message, Category: store.CategoryBuild}}
	switch {
	case strings.Contains(message, "builder for '/nix/store/"), strings.HasPrefix(message, "Cannot build '/nix/store/"):
		d.Weight = parse.Repeat
	case strings.Contains(message, "dependencies of derivation "):
		d.Weight = parse.Repeat
	default: // error: undefined variable 'x' at /x/a.nix:3:5
		i := strings.LastIndex(message, ", at ")
		n := len(", at ")
		if i < 0 {
			i, n = strings.LastIndex(message, " at "), len(" at ")
		}
		if i < 0 {
			return false
		}
		p, _, ok := parse.PlaceAt(message[i+n:])
		if !ok || !strings.HasSuffix(p.File, ".nix") {
			return false
		}
		d.File, d.Line, d.Column, d.Message, d.Category = p.File, p.Line, p.Column, message[:i], store.CategoryCompile
	}
	s.Add(d)
	return true
}
