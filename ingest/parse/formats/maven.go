package formats

import (
	"fmt"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// mavenFormat reads Maven and its plugins: findings with a place, and the reasons why a build failed.
var mavenFormat = parse.Format{
	Name:     "maven",
	About:    "Maven: compiler and plugin findings, and the reason for a failed build",
	Triggers: []string{"-> [Help ", "The forked VM terminated"},
	Starts: []string{
		"[ERROR] ", "[WARNING] ", "[WARN] ", "[INFO] BUILD FAILURE", "[INFO] BUILD ERROR", "[INFO] PMD Failure:",
		"[INFO] CPD Failure:", "[INFO] --- ",
	},
	New: func() parse.Matcher { return (&maven{}).match },
}

type maven struct{}

func (m *maven) match(s *parse.Scan, l parse.Line) bool {
	text := l.Text
	if goal, ok := strings.CutPrefix(text, "[INFO] --- "); ok {
		enterModule(s, goal)
		return false
	}
	if strings.HasPrefix(text, "[INFO] BUILD ") {
		s.Add(parse.Draft{Weight: parse.Repeat, Rank: parse.Mark, Key: "build",
			Event: store.Event{Message: strings.TrimSpace(text[len("[INFO] "):]), Category: store.CategoryBuild}})
		return true
	}
	if !startsMavenLevel(text) {
		return false
	}
	severity := store.SeverityError
	if !strings.HasPrefix(text, "[ERROR] ") {
		severity = store.SeverityWarning
	}
	rest := strings.TrimRight(cutMavenLevel(text), " \t")
	switch {
	case mavenFinding(s, severity, rest, parse.Detail):
		return true
	case hasAnyPrefix(rest, "To see the full stack trace of the errors", "Re-run Maven using the -X switch",
		"For more information about the errors", "[Help ", "After correcting the problems"):
		return true // this is advice, not the reason of a failure
	case strings.HasPrefix(rest, "Failed to execute goal "):
		mavenGoal(s, rest)
		return true
	case severity == store.SeverityError && strings.Contains(rest, " -> [Help "):
		mavenProblem(s, strings.TrimSpace(rest))
		return true
	case strings.HasPrefix(rest, "Rule ") && strings.Contains(rest, " failed with message:"):
		mavenRule(s, severity, rest)
		return true
	}
	return false
}

// enterModule reads "surefire:3.0:test (default-test) @ shop-core ---". The next lines belong to the module shop-core.
func enterModule(s *parse.Scan, goal string) {
	goal, ok := strings.CutSuffix(strings.TrimSpace(goal), " ---")
	if i := strings.LastIndex(goal, " @ "); ok && i > 0 {
		s.Package("pom.xml", goal[i+len(" @ "):])
	}
}

// mavenFinding reads a place and a message. rank says whether the line is the first report of the finding, or
// belongs to the list of findings at the end.
func mavenFinding(s *parse.Scan, severity store.Severity, rest string, rank parse.Rank) bool {
	for _, tool := range [...]string{"PMD Failure: ", "CPD Failure: "} {
		if message, ok := strings.CutPrefix(rest, tool); ok {
			return pmdFailure(s, message)
		}
	}
	finding, ok := mavenPlaced.Read(rest)
	if !ok {
		return spotbugsFinding(s, severity, rest)
	}
	finding.Severity, finding.Category, finding.Rank = severity, store.CategoryCompile, rank
	mavenTool(&finding.Event)
	if finding.Message == "" {
		return false
	}
	finding.Key = findingKey(finding.Event)
	d := s.Add(finding)
	if rank == parse.Detail {
		s.Block(func(l parse.Line) parse.Verdict {
			text := cutMavenLevel(l.Text)
			if !strings.HasPrefix(text, "  symbol") && !strings.HasPrefix(text, "  location") &&
				!strings.HasPrefix(text, "  required") && !strings.HasPrefix(text, "  found") &&
				!strings.HasPrefix(text, "  reason") {
				return parse.Done
			}
			if label, what, ok := strings.Cut(text, "symbol:"); ok && strings.TrimSpace(label) == "" &&
				!strings.Contains(d.Message, "\n") {
				d.Message += ": " + strings.Join(strings.Fields(what), " ")
			}
			d.Extend(l)
			return parse.Take
		})
	}
	return true
}

// mavenTool sets the tool of a finding, from the form of the message or the extension of the file. It moves the name of
// a rule from the message to the code.
func mavenTool(e *store.Event) {
	// Checkstyle prints the group of a rule before the rule: "(sizes) LineLength: …".
	if group, rest, ok := strings.Cut(e.Message, ") "); ok && strings.HasPrefix(group, "(") && isJavaName(group[1:]) {
		if rule, message, ok := strings.Cut(rest, ": "); ok && isJavaName(rule) {
			e.Code, e.Message, e.Tool, e.Category = rule, message, "checkstyle", store.CategoryLint
			return
		}
	}
	if message, rule, ok := cutBracketRule(e.Message); ok && strings.HasPrefix(e.Message, "[") {
		e.Code, e.Message = rule, message
	} else if message, rule, ok := cutTrailingRule(e.Message); ok {
		e.Code, e.Message, e.Tool, e.Category = rule, message, "checkstyle", store.CategoryLint
		return
	}
	switch e.File[strings.LastIndexByte(e.File, '.')+1:] {
	case "java":
		e.Tool = "javac"
	case "kt", "kts":
		e.Tool = "kotlin"
	case "scala":
		e.Tool = "scala"
	case "groovy":
		e.Tool = "groovy"
	}
}

var mavenPlaced = parse.Lines{
	{Text: "{file}:[{line}{?,{column}}]{ }{message}"},
	{Text: "{file}: ({line}, {column}){?:} {message}"}, // Kotlin
	// Plug-ins for other languages print places in this form, too. The formats of these languages read those places. No
	// golden file covers them, because none of these plug-ins runs without a download.
	{Text: "{place}: {?{severity}: }{message}", If: isSourceOfJVM},
}

// isSourceOfJVM reports whether the draft's file is a source of a JVM language, an XML file or a properties file.
func isSourceOfJVM(d *parse.Draft) bool {
	switch d.File[strings.LastIndexByte(d.File, '.')+1:] {
	case "java", "kt", "kts", "scala", "groovy", "xml", "properties", "clj", "cljc":
		return true
	}
	return false
}

// cutBracketRule splits "[unchecked] unchecked cast".
func cutBracketRule(text string) (message, rule string, ok bool) {
	rest, ok := strings.CutPrefix(text, "[")
	if !ok {
		return text, "", false
	}
	rule, message, ok = strings.Cut(rest, "] ")
	if !ok || rule == "" || strings.ContainsAny(rule, " /") {
		return text, "", false
	}
	return message, rule, true
}

// cutTrailingRule splits "Unused import - x. [UnusedImports]".
func cutTrailingRule(text string) (message, rule string, ok bool) {
	if !strings.HasSuffix(text, "]") {
		return text, "", false
	}
	i := strings.LastIndex(text, " [")
	if i <= 0 {
		return text, "", false
	}
	rule = text[i+2 : len(text)-1]
	if !isTrailingRule(rule) {
		return text, "", false
	}
	return strings.TrimSpace(text[:i]), rule, true
}

// isTrailingRule reports whether s can be a rule of Checkstyle or detekt.
func isTrailingRule(s string) bool {
	return s != "" && ('A' <= s[0] && s[0] <= 'Z' || strings.IndexByte(s, ':') > 0) &&
		isJavaName(strings.NewReplacer(":", "", "-", "").Replace(s))
}

// explainedGoals are messages of failed goals whose reasons are printed above.
var explainedGoals = []string{
	"There are test failures", "There was a timeout or other error in the fork", "Compilation failure",
	"Compilation failed", "There are test errors",
	"reported by Checkstyle", "Checkstyle violation", "Checkstyle error", "PMD violation", "CPD duplication",
	"failed with ", "Some Enforcer rules have failed",
	"Command execution failed", "An Ant BuildException has occured", "Failed to run task:", "Non zero exit",
	"non-zero exit", "exited with an error",
	"for the individual test results",
}

// mavenGoal reads the reason why a goal failed, up to "-> [Help 1]".
func mavenGoal(s *parse.Scan, rest string) {
	d := parse.Draft{Key: rest, Event: store.Event{Category: store.CategoryBuild, Code: goalName(rest)}}
	text, closed := cutHelp(rest)
	d.Message = text
	p := s.Add(d)
	p.Weight = goalWeight(text)
	if closed {
		return
	}
	lines, crashed, listed := 1, false, false
	s.Block(func(l parse.Line) parse.Verdict {
		if !strings.HasPrefix(l.Text, "[ERROR]") && strings.HasPrefix(l.Text, "[") || lines > 200 {
			return parse.Done
		}
		lines++
		part, closed := cutHelp(strings.TrimRight(cutMavenLevel(strings.TrimPrefix(l.Text, "[ERROR]")), " "))
		part = strings.TrimRight(cutMavenLevel(part), " ")
		trimmed := strings.TrimSpace(part)
		switch {
		case strings.HasPrefix(trimmed, "Please refer to "): // Surefire 3.0.0-M6 prints nothing else
			p.Weight = max(p.Weight, goalWeight(trimmed))
		case trimmed == "":
		case strings.HasPrefix(trimmed, "The forked VM terminated"):
			crashed = true
			p.Weight, p.Message, p.Category = parse.Certain, p.Message+"\n"+trimmed, store.CategoryTest
		case crashed && p.Test == "" && isJavaName(trimmed):
			p.Test = trimmed
		case crashed:
		case mavenFinding(s, store.SeverityError, trimmed, parse.Summary):
			p.Weight, listed = parse.Repeat, true
		case !listed && lines < 12:
			p.Message += "\n" + trimmed
		}
		if !crashed {
			p.Weight = max(p.Weight, goalWeight(p.Message))
		}
		p.Extend(l)
		if closed {
			return parse.Last
		}
		return parse.Take
	})
}

func goalWeight(message string) parse.Weight {
	for _, words := range explainedGoals {
		if strings.Contains(message, words) {
			return parse.Repeat
		}
	}
	return parse.Certain
}

// cutHelp removes "-> [Help 1]", which ends Maven's message about a failure.
func cutHelp(text string) (string, bool) {
	before, _, ok := strings.Cut(text, "-> [Help ")
	return strings.TrimRight(before, " "), ok
}

// goalName returns plugin:goal for "Failed to execute goal group:plugin:version:goal …".
func goalName(rest string) string {
	coordinates, _, _ := strings.Cut(strings.TrimPrefix(rest, "Failed to execute goal "), " ")
	parts := strings.Split(strings.TrimSuffix(coordinates, ":"), ":")
	if len(parts) != 4 {
		return ""
	}
	return parts[1] + ":" + parts[3]
}

// mavenProblem adds an error of Maven itself, such as a project that it cannot read or a plugin that it cannot find.
func mavenProblem(s *parse.Scan, text string) {
	text, _ = cutHelp(text)
	if text == "" || strings.HasPrefix(text, "[Help") {
		return
	}
	d := parse.Draft{Key: text, Event: store.Event{Message: text, Category: store.CategoryBuild}}
	if strings.HasPrefix(text, "The build could not read ") { // the project's name follows
		d.Weight = parse.Repeat
	}
	if strings.HasPrefix(text, "The project ") && strings.Contains(text, " has ") &&
		strings.HasSuffix(strings.TrimSuffix(text, "s"), "error") {
		return // the errors of the project follow
	}
	s.Add(d)
}

// mavenRule reads a broken rule of the enforcer. Its message is on the next lines. A rule may only warn, so a warning
// is not certain.
func mavenRule(s *parse.Scan, severity store.Severity, rest string) {
	_, name, _ := strings.Cut(rest, ": ")
	name, message, _ := strings.Cut(name, " failed with message:")
	d := parse.Draft{Event: store.Event{Category: store.CategoryBuild, Tool: "enforcer",
		Code: name[strings.LastIndexByte(name, '.')+1:], Message: strings.TrimSpace(message)}}
	if severity == store.SeverityWarning {
		d.Weight = parse.Likely
	}
	p := s.Add(d)
	rule := parse.Below{Blank: 1, Lines: 20, Join: "\n", Is: func(text string) bool { return !startsMavenLevel(text) }}
	s.Block(rule.Block(p))
}

// findingKey returns the key of a finding. A finding that is listed again has the same key.
func findingKey(e store.Event) string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}
