package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// surefireFormat reads Maven's test runners. They print a failure with its trace during the run, and again in the
// results of the module.
var surefireFormat = parse.Format{
	Name:     "surefire",
	About:    "Maven Surefire and Failsafe: failed tests",
	Triggers: []string{"<<< FAILURE!", "<<< ERROR!"},
	Starts: []string{
		"Running ", "[INFO] Running ", "Tests run:", "[ERROR] Tests run:", "[WARNING] Tests run:", "Failed tests:",
		"Tests in error:", "Flaked tests:",
		"[ERROR] Failures:", "[ERROR] Errors:", "[WARNING] Flakes:", "[ERROR] Failed tests:", "[ERROR] Tests in error:",
		"[ERROR] Crashed tests:", "[INFO] Using the MultiThreadedBuilder",
	},
	New: func() parse.Matcher { return (&surefire{}).match },
}

// surefire keeps the failures of a module until the results of the module are read. If Maven builds several modules at
// a time, it keeps the failures of all modules.
type surefire struct {
	parallel bool                      // mvn -T
	running  string                    // class of the newest "Running" or result line
	tests    map[string]*parse.Draft   // by full name
	classes  map[string][]*parse.Draft // by simple name of the top-level class
}

const maxSurefireTests = 5000

func (sf *surefire) match(s *parse.Scan, l parse.Line) bool {
	text := cutMavenLevel(l.Text)
	if strings.HasPrefix(text, "Using the MultiThreadedBuilder") {
		*sf = surefire{parallel: true}
		return false
	}
	if class, ok := strings.CutPrefix(text, "Running "); ok {
		if isJavaName(strings.TrimSpace(class)) {
			sf.running = strings.TrimSpace(class)
		}
		return false
	}
	if strings.HasPrefix(text, "Tests run:") {
		return sf.total(text)
	}
	if mode := resultsMode(text); mode != "" {
		r := &surefireResults{sf: sf, scan: s, leveled: text != l.Text}
		r.line(l)
		s.Block(r.line)
		return true
	}
	name, ok := cutElapsed(text)
	if ok {
		sf.failure(s, sf.fullName(name))
	}
	return ok
}

// total reads "Tests run: 3, Failures: 1, …" for one class or for all classes.
func (sf *surefire) total(text string) bool {
	if !isSurefireTotal(text) {
		return false
	}
	if !strings.Contains(text, "Time elapsed:") {
		if !sf.parallel {
			sf.tests, sf.classes = nil, nil
		}
		return true
	}
	if _, class, ok := strings.Cut(text, " in "); ok {
		sf.running = strings.TrimSpace(class)
	}
	return true
}

// isSurefireTotal reports whether text begins like "Tests run: 3, Failures: 1". The words "Tests run: " alone are not
// enough, because a test may print them.
func isSurefireTotal(text string) bool {
	counts, ok := strings.CutPrefix(text, "Tests run: ")
	_, n := parse.Number(counts)
	return ok && n > 0 && strings.HasPrefix(counts[n:], ", Failures: ")
}

// cutElapsed returns the name in "name  Time elapsed: 0.1 s  <<< FAILURE!".
func cutElapsed(text string) (string, bool) {
	if !strings.Contains(text, "<<< FAILURE!") && !strings.Contains(text, "<<< ERROR!") {
		return "", false
	}
	i := strings.Index(text, "Time elapsed:")
	if i <= 0 {
		return "", false
	}
	name := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text[:i]), "--"))
	return name, name != ""
}

// fullName returns class.method for a name in the form of any version.
func (sf *surefire) fullName(name string) string {
	if name == sf.running || strings.HasPrefix(name, sf.running+".") || strings.HasPrefix(name, sf.running+"$") {
		return name
	}
	if method, class, ok := cutClassSuffix(name); ok {
		return class + "." + method
	}
	plain, _, _ := strings.Cut(name, "(")
	if sf.running == "" || strings.Contains(plain, ".") && isJavaName(plain) {
		return name
	}
	return sf.running + "." + name
}

// cutClassSuffix splits "test[1](com.acme.CalcTest)".
func cutClassSuffix(name string) (method, class string, ok bool) {
	open := strings.LastIndexByte(name, '(')
	if open <= 0 || name[len(name)-1] != ')' {
		return "", "", false
	}
	method, class = name[:open], name[open+1:len(name)-1]
	simple := class[strings.LastIndexByte(class, '.')+1:]
	return method, class, isJavaName(class) && simple != "" &&
		(strings.Contains(class, ".") || 'A' <= simple[0] && simple[0] <= 'Z')
}

// failure adds the failure of a test. Surefire may retry a failed test, so the test may fail several times. It is added
// only once.
func (sf *surefire) failure(s *parse.Scan, test string) {
	d := sf.tests[test]
	first := d == nil
	if first {
		d = s.Add(testDraft(test, "test failed"))
		sf.remember(test, d)
	}
	t := &throwable{test: testClass(test, sf.running)}
	follow := traceBlock(d, t)
	begun := false
	s.Block(func(l parse.Line) parse.Verdict {
		if startsMavenLevel(l.Text) || isSurefireTotal(l.Text) || strings.HasPrefix(l.Text, "Running ") ||
			strings.HasPrefix(l.Text, "Results :") || strings.Contains(l.Text, "Time elapsed: ") {
			return parse.Done
		}
		if begun {
			return follow(l)
		}
		begun = true
		t.begin(l.Text)
		if first {
			t.apply(d)
		}
		d.Extend(l)
		return parse.Take
	})
}

func (sf *surefire) remember(test string, d *parse.Draft) {
	if sf.tests == nil {
		sf.tests, sf.classes = map[string]*parse.Draft{}, map[string][]*parse.Draft{}
	}
	if len(sf.tests) < maxSurefireTests {
		sf.tests[test] = d
		class := outerClass(testClass(test, sf.running))
		sf.classes[class] = append(sf.classes[class], d)
	}
}

// testClass returns the class of a test's full name.
func testClass(test, running string) string {
	if running != "" && strings.HasPrefix(test, running) {
		return running
	}
	plain, _, _ := strings.Cut(test, "(")
	plain, _, _ = strings.Cut(plain, "[")
	plain, _, _ = strings.Cut(plain, "{")
	if i := strings.LastIndexByte(plain, '.'); i > 0 {
		return plain[:i]
	}
	return running
}

// mavenLevels are the level marks of Maven since 3.1.
var mavenLevels = []string{"[ERROR] ", "[WARNING] ", "[INFO] ", "[WARN] ", "[DEBUG] "}

// cutMavenLevel removes a level mark such as "[ERROR] ".
func cutMavenLevel(text string) string {
	for _, level := range mavenLevels {
		if rest, ok := strings.CutPrefix(text, level); ok {
			return rest
		}
	}
	return text
}

// startsMavenLevel reports whether Maven itself logged the line.
func startsMavenLevel(text string) bool {
	for _, level := range mavenLevels {
		if strings.HasPrefix(text, level) || text == level[:len(level)-1] {
			return true
		}
	}
	return false
}

// resultsMode returns the name of the results list that begins in this line.
func resultsMode(text string) string {
	for _, head := range [...]string{"Failures:", "Errors:", "Failed tests:", "Tests in error:", "Flakes:",
		"Flaked tests:", "Crashed tests:"} {
		if strings.HasPrefix(text, head) {
			return head
		}
	}
	return ""
}

// surefireResults reads the lists at the end of a module.
type surefireResults struct {
	sf      *surefire
	scan    *parse.Scan
	mode    string
	leveled bool         // Maven marks the lines with levels
	last    *parse.Draft // the newest entry, if it is an event of its own
}

func (r *surefireResults) line(l parse.Line) parse.Verdict {
	text := strings.TrimRight(cutMavenLevel(l.Text), " \t")
	if r.mode == "Failed tests:" && r.last == nil {
		if block := foreignList(r.scan, l); block != nil {
			r.scan.Block(block)
			return block(l)
		}
	}
	if isSurefireTotal(text) || strings.HasPrefix(text, "-----") || strings.HasPrefix(text, "Failed to execute") ||
		strings.HasPrefix(text, "Process Exit Code") {
		return parse.Done
	}
	if mode := resultsMode(text); mode != "" {
		r.mode, r.last = mode, nil
		if text = strings.TrimSpace(text[len(mode):]); text == "" { // 2.12 prints the first entry on the same line
			return parse.Take
		}
	}
	trimmed := strings.TrimSpace(text)
	switch {
	case r.goesOn(l.Text):
		if r.last != nil && len(r.last.Message) < maxResultMessage {
			r.last.Message += "\n" + trimmed
			r.last.Extend(l)
		}
	case trimmed == "":
		return parse.Take
	case r.mode == "Flakes:" || r.mode == "Flaked tests:":
		r.flake(l, trimmed)
	case strings.HasPrefix(trimmed, "Run ") && r.last != nil:
		if _, message, ok := strings.Cut(trimmed, ": "); ok && r.last.Message == "test failed" {
			_, r.last.Message = cutResultPlace(message)
		}
		r.last.Extend(l)
	case strings.HasPrefix(trimmed, "Run "):
	default:
		r.entry(trimmed)
	}
	return parse.Take
}

// foreignList returns the block of another runner's list below "Failed tests:", if l is the first line of one.
func foreignList(s *parse.Scan, l parse.Line) func(parse.Line) parse.Verdict {
	if _, ok := labTitle(l); ok {
		return (&labBlock{s: s}).line
	}
	if hasAnyPrefix(l.Text, "test at ", "✖ ") {
		return (&nodeTestBlock{s: s}).line
	}
	if l.Text == luaunitLine {
		return luaunitList(s)
	}
	return nil
}

// goesOn reports whether a line continues the message before it. Entries begin with a level mark, or in older versions
// with two blanks or with the full name of a test.
func (r *surefireResults) goesOn(text string) bool {
	if r.leveled {
		return !startsMavenLevel(text)
	}
	name, _, _ := strings.Cut(text, "(")
	return resultsMode(text) == "" && !strings.HasPrefix(text, "  ") && (!isJavaName(name) || strings.Count(name, ".") < 2)
}

// flake reads a line of the list of flaky tests. These tests failed, but passed in a later attempt. flake turns the
// failure of such a test into a warning. If no failure of the test was read, flake adds a warning.
func (r *surefireResults) flake(l parse.Line, text string) {
	if strings.HasPrefix(text, "Run ") {
		if r.last != nil {
			r.last.Extend(l)
			if _, message, ok := strings.Cut(text, ": "); ok && r.last.Message == "" && message != "PASS" {
				_, r.last.Message = cutResultPlace(message)
			}
		}
		return
	}
	name := text
	if method, class, ok := cutClassSuffix(name); ok && !strings.HasPrefix(method, class+".") {
		name = class + "." + method
	} else if ok {
		name = method
	}
	if d := r.sf.tests[name]; d != nil {
		d.Severity, r.last = store.SeverityWarning, nil
		return
	}
	if plain, _, _ := strings.Cut(name, "("); !isJavaName(plain) {
		return
	}
	d := testDraft(name, "")
	d.Severity = store.SeverityWarning
	r.last = r.scan.Add(d)
}

// entry reads "CalcTest.rounds:10 expected …" or "rounds(com.acme.CalcTest): expected …".
func (r *surefireResults) entry(text string) {
	test, line, message := resultName(text)
	if test == "" {
		return
	}
	r.last = nil
	class := test
	if r.mode != "Crashed tests:" {
		class = testClass(test, "")
	}
	if known := r.sf.classes[outerClass(class)]; len(known) > 0 {
		for _, d := range known {
			if d.File == "" && line > 0 && strings.HasSuffix(d.Test, test[strings.LastIndexByte(test, '.'):]) {
				d.File, d.Line = outerClass(class)+".java", line
			}
		}
		return
	}
	d := testDraft(test, orElse(message, "test failed"))
	if r.mode == "Crashed tests:" {
		d.Message = "the forked VM crashed while this class ran"
	}
	if line > 0 {
		d.File, d.Line = outerClass(class)+".java", line
	}
	r.last = r.scan.Add(d)
}

const maxResultMessage = 1000

// resultName reads the test at the start of an entry. It returns "" for other text.
func resultName(text string) (test string, line int, message string) {
	// Surefire before 2.13 prints "method(class): message".
	if open := strings.IndexByte(text, '('); open > 0 && !strings.ContainsAny(text[:open], " :") {
		if end := strings.IndexByte(text[open:], ')'); end > 1 {
			class := text[open+1 : open+end]
			if isJavaName(class) && strings.Contains(class, ".") {
				message = strings.TrimSpace(strings.TrimPrefix(text[open+end+1:], ":"))
				return class + "." + strings.TrimPrefix(text[:open], class+"."), 0, message
			}
		}
	}
	end := strings.IndexAny(text, " :")
	if end < 0 {
		end = len(text)
	}
	name := text[:end]
	if i := strings.IndexByte(name, '>'); i > 0 { // Sub>Super.method
		if dot := strings.LastIndexByte(name, '.'); dot > i {
			name = name[:i] + name[dot:]
		} else {
			name = name[:i]
		}
	}
	plain, _, _ := strings.Cut(name, "(")
	plain, _, _ = strings.Cut(plain, "[")
	dot := strings.IndexByte(plain, '.')
	if !isJavaName(plain) || dot < 0 && !strings.Contains(text[end:], " » ") && text[end:] != "" {
		return "", 0, ""
	}
	line, message = cutResultPlace(text[end:])
	return name, line, message
}
