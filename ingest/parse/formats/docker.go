package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// dockerFormat reads docker build (BuildKit's plain progress and the legacy builder), docker and docker compose.
var dockerFormat = parse.Format{
	Name:  "docker",
	About: "docker build, docker and docker compose",
	Triggers: []string{
		"did not complete successfully", "failed to solve", "returned a non-zero code", "Error response from daemon",
		"ocker: Error",
		"error during connect", "Cannot connect to the Docker daemon", "executor failed running",
		"invalid reference format", "failed to build: ", "dockerfile parse error",
		"failed to compute cache key: ", "failed to load cache key: ", "ockerfile:",
	},
	Starts: []string{" > [", "------", "ERROR: "},
	New:    func() parse.Matcher { return new(docker).match },
}

// docker keeps what a build has said before its last message.
type docker struct {
	rule   int         // line of the newest "------"
	at     parse.Place // the newest place that is alone in a line
	atLine int         // the log line of this place
}

// maxExcerpt is the max number of lines from a place, over an excerpt of the Dockerfile, to the message.
const maxExcerpt = 40

func (m *docker) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case m.excerpt(l):
		return false
	case text == "------":
		m.rule = l.N
		s.Recap(false)
		return false
	case strings.HasPrefix(l.Text, " > [") && m.rule == l.N-1 && m.rule > 0 && strings.HasSuffix(text, ":"):
		s.Recap(true)
		s.Block(func(l parse.Line) parse.Verdict { return m.repeated(s, l) })
		return true
	case strings.HasPrefix(text, "The command '") && strings.Contains(text, "returned a non-zero code"):
		s.Add(parse.Draft{Weight: repeatOrKilled(text), Key: "build",
			Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return true
	}
	return m.errorLine(s, l)
}

// excerpt reads the place above an excerpt of the Dockerfile: "Dockerfile:12". It reports whether the line has only
// such a place.
func (m *docker) excerpt(l parse.Line) bool {
	p, rest, ok := parse.PlaceAt(l.Text + ":")
	if !ok || rest != "" || p.Column > 0 || !strings.Contains(p.File, "ockerfile") {
		return false
	}
	m.at, m.atLine = p, l.N
	return true
}

// place sets the place of an error of the whole build, if an excerpt is above the error.
func (m *docker) place(d *parse.Draft, l parse.Line) {
	if m.atLine > 0 && l.N <= m.atLine+maxExcerpt {
		d.At(m.at.File, m.at.Line, 0)
	}
}

// repeated skips the last lines of a failed step, which Docker prints a second time. The block ends at a line of
// dashes.
func (m *docker) repeated(s *parse.Scan, l parse.Line) parse.Verdict {
	if strings.HasPrefix(l.Text, "------") {
		s.Recap(false)
		return parse.Last
	}
	return parse.Take
}

func (m *docker) errorLine(s *parse.Scan, l parse.Line) bool {
	message := l.Trim()
	for _, prefix := range [...]string{"docker: ", "ERROR: ", "Error: ", "error: ", "failed to build: "} {
		message = strings.TrimPrefix(message, prefix)
	}
	switch {
	case hasAnyPrefix(message, "failed to solve", "failed to compute cache key: ", "failed to load cache key: ",
		"process \"", "executor failed running"):
		d := parse.Draft{Key: "build", Event: store.Event{Message: solveMessage(message), Category: store.CategoryBuild}}
		if strings.HasPrefix(message, "failed to solve") {
			d.Rank = parse.Summary
		}
		if strings.Contains(message, "did not complete successfully") ||
			strings.Contains(message, "executor failed running") {
			d.Weight = repeatOrKilled(message) // the output of the command has the reason
		}
		m.place(&d, l)
		s.Add(d)
		return true
	// Dagger prints: "input: container.withExec process "ls" did not complete successfully: exit code: 1".
	case strings.Contains(message, " process \"") && strings.Contains(message, "\" did not complete successfully: "):
		s.Add(parse.Draft{Weight: repeatOrKilled(message), Key: "build",
			Event: store.Event{Message: message, Category: store.CategoryBuild}})
		return true
	case strings.HasPrefix(message, "Error response from daemon"), strings.HasPrefix(message, "error during connect"),
		strings.HasPrefix(message, "Cannot connect to the Docker daemon"), strings.HasPrefix(message,
			"invalid reference format"):
		s.Add(parse.Draft{Weight: parse.Likely, Key: message,
			Event: store.Event{Message: message, Category: store.CategoryBuild}})
		return true
	}
	return false
}

// repeatOrKilled returns the weight of a message about a failed command: Died for exit code 137, and Repeat otherwise.
// Exit code 137 means that the command was killed, usually for lack of memory. The output of the command does not
// explain this.
func repeatOrKilled(message string) parse.Weight {
	if strings.HasSuffix(message, "code: 137") {
		return parse.Died
	}
	return parse.Repeat
}

// solveMessage removes the prefixes that BuildKit adds to an error: "failed to solve: rpc error: code = Unknown desc =
// …".
func solveMessage(message string) string {
	message = strings.TrimPrefix(strings.TrimPrefix(message, "failed to solve"), ": ")
	message = strings.TrimPrefix(message, " with frontend dockerfile.v0: failed to create LLB definition: ")
	if _, desc, ok := strings.Cut(message, " desc = "); ok {
		message = desc
	}
	return message
}
