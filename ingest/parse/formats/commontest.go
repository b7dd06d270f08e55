package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// commonTest reads rebar3's "demo_SUITE ==> group.case: FAILED", and the lines with the reason below. The first of
// these lines also begins with the name of the suite.
func commonTest(s *parse.Scan, text string) bool {
	suite, rest, ok := strings.Cut(text, " ==> ")
	name, failed := strings.CutSuffix(rest, ": FAILED")
	if !ok || !failed {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{Test: suite + "." + name, Message: "FAILED", Tool: "common_test",
		Category: store.CategoryTest}})
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		rest, ok := strings.CutPrefix(l.Trim(), "%%% "+suite+" ==>")
		lines++
		if lines > 1 && ok || lines > 20 || l.Trim() == "" {
			return parse.Done
		}
		d.Extend(l)
		if ok {
			d.Message = strings.TrimSpace(rest)
		} else if lines == 2 && len(d.Message) < 40 {
			d.Message = strings.TrimSpace(d.Message + " " + l.Trim())
		}
		return parse.Take
	})
	return true
}

// console reads the messages of ct_run between lines of dashes: "demo_SUITE:bad failed on line 10" or
// "demo_SUITE:init_per_suite failed" with the reason below, and "Error detected: 'demo_SUITE cannot be compiled or
// loaded'".
func (m *eunit) console(s *parse.Scan, text string) bool {
	d := parse.Draft{Event: store.Event{Message: "failed", Tool: "common_test", Category: store.CategoryTest}}
	name, rest, failed := strings.Cut(text, " failed")
	if failed {
		module, test, named := strings.Cut(name, ":")
		n, length := parse.Number(strings.TrimPrefix(rest, " on line "))
		if !named || rest != "" && length == 0 || strings.IndexByte(name, ' ') >= 0 {
			return false
		}
		if strings.HasSuffix(module, "_SUITE") { // otherwise the place where Common Test noticed the failure
			d.Test, d.File, d.Line = module+"."+test, module+".erl", n
		}
		d.Merged = true // the draft is an event only if the reason follows
	} else {
		d.Message = strings.Trim(text[len("Error detected: "):], "'")
	}
	told := s.Add(d)
	m.told = told
	s.Block(func(l parse.Line) parse.Verdict {
		reason, ok := strings.CutPrefix(l.Trim(), "Reason: ")
		if !failed || !ok {
			return parse.Done
		}
		told.Message, told.Merged = reason, false
		told.Extend(l)
		return parse.Last
	})
	return true
}

// mark reads "Testing apps.demo: *** FAILED test case 2 of 4 ***", which comes after the reason.
func (m *eunit) mark(s *parse.Scan, l parse.Line, text string) bool {
	suite, which, ok := strings.Cut(text[len("Testing "):], ": *** FAILED ")
	if !ok {
		return false
	}
	test, _, _ := strings.Cut(strings.TrimSuffix(which, " ***"), " of ")
	if m.told == nil || m.told.Merged || l.N > m.told.LogLineEnd+6 {
		m.told = s.Add(parse.Draft{Event: store.Event{Message: "FAILED " + strings.TrimSuffix(which, " ***"),
			Tool: "common_test", Category: store.CategoryTest}})
	}
	if m.told.Test == "" {
		m.told.Test = suite + ": " + test
	}
	m.told.Extend(l)
	m.told = nil
	return true
}
