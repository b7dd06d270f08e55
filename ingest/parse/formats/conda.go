package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// condaFormat reads the errors of conda and mamba, for example about packages that cannot be found.
var condaFormat = parse.Format{
	Name:  "conda",
	About: "conda and mamba: packages not found, environments that cannot be solved",
	Starts: []string{"PackagesNotFoundError: ", "PackageNotFoundError: ", "ResolvePackageNotFound:",
		"UnsatisfiableError: ", "LibMambaUnsatisfiableError: ", "CondaHTTPError: ", "CondaError: ", "CondaValueError: ",
		"EnvironmentFileNotFound: ", "EnvironmentLocationNotFound: ", "SpecsConfigurationConflictError: ",
		"CondaVerificationError: ", "CondaMultiError: ", "Could not solve for environment specs", "NoWritablePkgsDirError: ",
		"Mamba failed to solve:"},
	Match: matchConda,
}

func matchConda(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	name, message, ok := strings.Cut(text, ":")
	e := store.Event{Message: strings.TrimSpace(message), Code: name, Category: store.CategoryBuild}
	if !ok || hasAnyPrefix(text, "Could not solve", "Mamba failed to solve") {
		e.Message, e.Code = text, ""
	}
	d := s.Add(parse.Draft{Event: e})
	packages := parse.Below{Starts: []string{"- ", "└─", "├─"}, Blank: 3, Join: " ", MaxText: 400} // "  - numpy=99"
	s.Block(packages.Block(d))
	return true
}
