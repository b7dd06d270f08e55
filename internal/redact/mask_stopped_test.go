package redact

import (
	"strings"
	"testing"
)

func TestMasksWhereCommandsAreStoppedAreText(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"stopped": {"::stop-commands::Zx81\n::add-mask::quoted\nquoted\n",
			"::stop-commands::Zx81\n::add-mask::quoted\nquoted\n"},
		"resumed": {"::stop-commands::Zx81\n::add-mask::quoted\n::Zx81::\n::add-mask::masked\nquoted masked\n",
			"::stop-commands::Zx81\n::add-mask::quoted\n::Zx81::\n::add-mask::***\nquoted ***\n"},
		"deprecated": {"##[stop-commands]Zx81\r\n##[add-mask]quoted\r\nx " +
			"##[Zx81]\r\n##[add-mask]masked\r\nquoted masked",
			"##[stop-commands]Zx81\r\n##[add-mask]quoted\r\nx ##[Zx81]\r\n##[add-mask]***\r\nquoted ***"},
		"masked before": {"::add-mask::masked\n::stop-commands::Zx81\nmasked\n",
			"::add-mask::***\n::stop-commands::Zx81\n***\n"},
		"not at a line's head": {"echo ::stop-commands::Zx81\n::add-mask::masked\nmasked\n",
			"echo ::stop-commands::Zx81\n::add-mask::***\n***\n"},
		"after progress": {"10%\r::stop-commands::Zx81\r::add-mask::quoted\nquoted " +
			"::Zx81::\n::Zx81::\n::add-mask::masked\nmasked",
			"10%\r::stop-commands::Zx81\r::add-mask::quoted\nquoted ::Zx81::\n::Zx81::\n::add-mask::***\n***"},
		"far apart": {"::stop-commands::Zx81\n" + strings.Repeat("a long log\n", 9000) +
			"::add-mask::quoted\nquoted\n::zx81::\n::add-mask::masked\nmasked\n",
			"::stop-commands::Zx81\n" + strings.Repeat("a long log\n", 9000) +
				"::add-mask::quoted\nquoted\n::zx81::\n::add-mask::***\n***\n"},
	} {
		for _, size := range []int{1 << 20, 7, 1} {
			if size == 1 && len(tt.in) > 1<<10 {
				continue
			}
			var got strings.Builder
			s := New(Options{}).Stream(func(text []byte) { got.Write(text) })
			for in := tt.in; in != ""; in = in[min(size, len(in)):] {
				_, _ = s.Write([]byte(in[:min(size, len(in))])) // never fails
			}
			if s.Close(); got.String() != tt.want {
				t.Errorf("%s, in pieces of %d: %.300q", name, size, got.String())
			}
		}
	}
}

func TestAStopEndsWithItsStep(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	s := New(Options{}).Stream(func(text []byte) { got.Write(text) })
	for range 2 {
		_, _ = s.Write([]byte("::add-mask::masked\nmasked\n::stop-commands::Zx81\n")) // never fails
		s.Close()
	}
	if want := strings.Repeat("::add-mask::***\n***\n::stop-commands::Zx81\n", 2); got.String() != want {
		t.Errorf("%q", got.String())
	}
}

func TestACopyOfAnUnfinishedLineHasItsOwnMemory(t *testing.T) {
	t.Parallel()
	var s stops
	s.gate.Line("::stop-commands::Zx81token")
	s.past([]byte("::Zx81token"))
	c := s.clone()
	c.past([]byte("\nother text\n"))
	s.past([]byte("::\n"))
	if s.gate.Stopped() {
		t.Error("the copy has overwritten the line that resumes commands")
	}
}
