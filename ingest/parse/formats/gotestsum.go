package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
)

// summary reads gotestsum's "=== FAIL: pkg TestA/sub (0.00s)". The failure may have been reported before.
func (g *goTests) summary(s *parse.Scan, l parse.Line, text string) bool {
	pkg, rest, ok := strings.Cut(text, " ")
	if !ok {
		return false
	}
	name, ok := goTestName(rest)
	if i := strings.Index(rest, " (re-run "); i > 0 {
		name, ok = rest[:i], true
	}
	if !ok {
		return strings.HasPrefix(rest, " (") // a package without a test
	}
	for _, k := range g.known[name] {
		if k.pkg == pkg || strings.HasSuffix(k.pkg, "/"+pkg) || pkg == "." {
			again := &goLog{} // the summary does not mix the output of tests
			s.Block(func(l parse.Line) parse.Verdict {
				if v := untilBlank(l); v != parse.Take || width(l.Text) < 4 {
					return v
				}
				again.feed(l)
				again.fill(k.draft)
				return parse.Take
			})
			return true
		}
	}
	d := g.fail(s, l, name)
	if !strings.Contains(pkg, ".") { // gotestsum names packages relative to the module
		d.Dir = pkg
	} else if dir, ok := packageDir(s.GoModule(pkg), pkg); ok {
		d.Dir = dir
	} else if dir, ok := goPackageDir(pkg); ok {
		d.Dir = dir
	}
	g.drafts = nil
	delete(g.failed, name) // the next test of this name may be in another package
	log := &goLog{}
	s.Block(func(l parse.Line) parse.Verdict {
		if l.Text == "" || strings.HasPrefix(l.Text, "=== FAIL") || strings.HasPrefix(l.Text, "DONE ") {
			return parse.Done
		}
		if strings.HasPrefix(l.Text, "panic: ") {
			g.newest = d
			return parse.Done
		}
		if width(l.Text) >= 4 {
			log.feed(l)
		} else if strings.HasPrefix(name, "Example") && !isGoTestLine(l.Text) {
			log.output(l)
		}
		log.fill(d)
		d.Extend(l)
		return parse.Take
	})
	return true
}

func untilBlank(l parse.Line) parse.Verdict {
	if l.Text == "" || strings.HasPrefix(l.Text, "=== FAIL") || strings.HasPrefix(l.Text, "DONE ") {
		return parse.Done
	}
	return parse.Take
}
