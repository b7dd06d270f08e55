package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// condaFormat reads conda and mamba: packages that are not to be had.
var condaFormat = parse.Format{
	Name:  "conda",
	About: "conda and mamba: packages not found, environments that cannot be solved",
	Starts: []string{"PackagesNotFoundError: ", "PackageNotFoundError: ", "ResolvePackageNotFound:",
		"UnsatisfiableError: ", "LibMambaUnsatisfiableError: ", "CondaHTTPError: ", "CondaError: ", "CondaValueError: ",
		"EnvironmentFileNotFound: ", "EnvironmentLocationNotFound: ", "SpecsConfigurationConflictError: ",
		"CondaVerificationError: ", "CondaMultiError: ", "Could not solve for environment specs", "NoWritablePkgsDirError: "},
	New: parse.Stateless(matchConda),
}

func matchConda(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	name, message, ok := strings.Cut(text, ":")
	e := store.Event{Message: strings.TrimSpace(message), Code: name, Category: store.CategoryBuild}
	if !ok || strings.HasPrefix(text, "Could not solve") {
		e.Message, e.Code = text, ""
	}
	d := s.Add(parse.Draft{Event: e})
	started, lines := false, 0
	s.Block(func(l parse.Line) parse.Verdict { // a list of packages: "  - numpy=99"
		text := strings.TrimSpace(l.Text)
		lines++
		switch {
		case strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "└─") || strings.HasPrefix(text, "├─"):
			started = true
			if len(d.Message) < 400 {
				d.Message = strings.TrimSpace(d.Message + " " + text)
			}
		case text == "" && !started && lines < 4:
			return parse.Take
		default:
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	})
	return true
}
