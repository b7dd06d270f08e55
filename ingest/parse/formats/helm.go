package formats

import (
	"path"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// helmFormat reads helm lint, and the errors of templates and values that end any command of helm.
var helmFormat = parse.Format{
	Name:     "helm",
	About:    "helm: findings of helm lint, errors of templates and values",
	Triggers: []string{chartsLinted},
	Starts:   []string{"==> Linting ", "Error: "},
	New:      func() parse.Matcher { return new(helm).match },
}

// helm keeps what helm lint has found until it prints the sum.
type helm struct {
	warnings []*parse.Draft
	errors   bool
}

var helmSum = parse.Lines{
	{Text: "^Error: «{#} chart(s) linted, {*}»", Category: store.CategoryLint, Weight: parse.Repeat},
}

// sum reads "Error: 1 chart(s) linted, 1 chart(s) failed". If there is no error, the warnings made the chart fail, with
// --strict.
func (m *helm) sum(s *parse.Scan, l parse.Line) bool {
	d, ok := helmSum.Read(l.Text)
	if ok {
		for _, warning := range m.warnings {
			if !m.errors {
				warning.Severity = store.SeverityError
			}
		}
		s.Add(d)
	}
	*m = helm{}
	return ok
}

const chartsLinted = " chart(s) linted, "

// helmErrors are errors of a template or of the values of a chart.
var helmErrors = parse.Lines{
	{Text: "template: {file}:{line}:{column}: {message}", If: inChart},
	{Text: "{:parse|execution} error at ({file}:{line}{?:{column}}): {message}", If: inChart},
	{Text: "YAML parse error on {file}: {message}", If: inChart, Then: yamlLine},
	{Text: "cannot load {file:values.yaml|Chart.yaml}: {message}", Then: yamlLine},
	{Text: "«values don't meet the specifications of the schema(s) in the following chart(s):»"},
}

// inChart reports whether the file of a finding is a template of a chart: "shop/templates/deploy.yaml".
func inChart(d *parse.Draft) bool { return strings.Contains(d.File, "/templates/") }

func (m *helm) match(s *parse.Scan, l parse.Line) bool {
	if strings.Contains(l.Text, chartsLinted) {
		return m.sum(s, l)
	}
	if chart, ok := strings.CutPrefix(l.Text, "==> Linting "); ok {
		s.Block((&helmLint{s: s, found: m, chart: strings.TrimSpace(chart)}).line)
		return true
	}
	text := strings.TrimPrefix(l.Trim(), "Error: ")
	if command, rest, ok := strings.Cut(text, " FAILED: "); ok && (command == "INSTALLATION" || command == "UPGRADE") {
		text = rest
	}
	d, ok := helmErrors.Read(text)
	if !ok {
		return false
	}
	d.Category, d.LogLine, d.LogLineEnd = store.CategoryBuild, l.N, l.N
	added := s.Add(d)
	if strings.HasSuffix(text, ":") {
		s.Block(parse.Below{Join: "\n"}.Block(added))
	}
	return true
}

// helmLint reads the findings in a chart. chart is its directory.
type helmLint struct {
	s     *parse.Scan
	found *helm
	chart string
	last  *parse.Draft
	blank bool // an empty line has ended the newest finding
}

// line reads "[ERROR] templates/deploy.yaml: message", and lines that continue the message.
func (m *helmLint) line(l parse.Line) parse.Verdict {
	level, text, ok := strings.Cut(strings.TrimPrefix(l.Text, "["), "] ")
	switch {
	case l.Level != "" || strings.Contains(l.Text, chartsLinted) || strings.HasPrefix(l.Text, "==> "):
		return parse.Done
	case l.Text == "":
		m.last, m.blank = nil, true
		return parse.Take
	case l.Text[0] == '[' && ok && level == "INFO":
		m.last, m.blank = nil, false
	case l.Text[0] == '[' && ok && (level == "ERROR" || level == "WARNING") && namesPart(text):
		m.last, m.blank = m.s.Add(m.finding(level, text)), false
		m.found.note(m.last)
	case l.Text[0] == '[' || m.blank: // with --quiet, helm may print no sum
		return parse.Done
	case m.last != nil:
		m.last.Extend(l)
		if len(m.last.Message) < parse.MaxText {
			m.last.Message += "\n" + l.Trim()
		}
	default:
		return parse.Pass
	}
	return parse.Take
}

// maxChartWarnings is the max number of warnings that are kept for the sum.
const maxChartWarnings = 1000

// note keeps a finding for the sum.
func (m *helm) note(d *parse.Draft) {
	m.errors = m.errors || d.Severity != store.SeverityWarning
	if !m.errors && len(m.warnings) < maxChartWarnings {
		m.warnings = append(m.warnings, d)
	}
}

// namesPart reports whether the text of a finding begins with a part of the chart: "templates/: message". Maven and
// others print their own messages behind the same levels.
func namesPart(text string) bool {
	part, message, ok := strings.Cut(text, ": ")
	return ok && message != "" && !strings.Contains(part, " ")
}

// finding returns the draft for "templates/deploy.yaml: message".
func (m *helmLint) finding(level, text string) parse.Draft {
	at, message, _ := strings.Cut(text, ": ")
	d, ok := helmErrors.Read(message)
	// The findings of all templates, or of the chart, repeat the errors of Chart.yaml and values.yaml.
	if at == "" || strings.HasSuffix(at, "/") && ok && !inChart(&d) {
		d.Weight = parse.Repeat
	}
	if !ok {
		d = parse.Draft{Weight: d.Weight, Event: store.Event{Message: message}}
		if yamlLine(&d); strings.HasSuffix(at, "/") || at == "" { // the folder of all templates, or the chart
			d.Line = 0
		} else {
			d.File = at
		}
	} else if _, rest, ok := strings.Cut(d.File, "/"); ok { // the name of the chart is first
		d.File = rest
	}
	if d.File != "" {
		d.File = path.Join(m.chart, d.File)
	}
	d.Category = store.CategoryLint
	if level == "WARNING" {
		d.Severity = store.SeverityWarning
	}
	return d
}
