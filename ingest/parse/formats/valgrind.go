package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// valgrindFormat reads Memcheck, Helgrind and DRD of valgrind.
var valgrindFormat = parse.Format{
	Name:   "valgrind",
	About:  "valgrind: Memcheck, Helgrind, DRD",
	Starts: []string{"==1", "==2", "==3", "==4", "==5", "==6", "==7", "==8", "==9"},
	New:    func() parse.Matcher { return new(valgrind).match },
}

// valgrind keeps the report that is being read.
type valgrind struct {
	last  *parse.Draft // nil after the empty line that ends a report
	error *parse.Draft // the newest error
	place bool         // the first stack, which belongs to the error itself, had a place or has ended
}

func (v *valgrind) match(s *parse.Scan, l parse.Line) bool {
	_, text, ok := cutPID(l.Text)
	if !ok {
		return false
	}
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
		v.last = nil
	case strings.HasPrefix(text, "   at 0x") || strings.HasPrefix(text, "   by 0x"):
		v.frame(l, trimmed)
	case strings.HasPrefix(text, "  "):
		if v.last != nil {
			v.place = true
			v.last.Extend(l)
		}
	case isMemoryError(trimmed):
		v.begin(s, trimmed, memoryCode(trimmed))
	case strings.Contains(trimmed, " definitely lost in loss record "):
		v.begin(s, trimmed[:strings.Index(trimmed, " in loss record ")], "definitely lost")
	case strings.HasPrefix(trimmed, "Process terminating with default action of signal "):
		if v.error != nil && l.N <= v.error.LogLineEnd+6 { // the previous report has the cause
			v.error.Extend(l)
		} else {
			v.begin(s, trimmed, "signal")
		}
	case strings.HasPrefix(trimmed, "ERROR SUMMARY: ") && !strings.HasPrefix(trimmed, "ERROR SUMMARY: 0 "):
		s.Add(parse.Draft{Event: store.Event{Message: trimmed, Category: store.CategoryRuntime}, Weight: parse.Repeat})
	}
	return true
}

func (v *valgrind) begin(s *parse.Scan, message, code string) {
	v.place = false
	v.last = s.Add(parse.Draft{Event: store.Event{Message: message, Code: code, Category: store.CategoryRuntime},
		Weight: parse.Died})
	v.error = v.last
}

// frame reads "at 0x10917D: main (a.c:6)". The place of the error is the first frame with a source file that
// belongs neither to the runtime nor to a library.
func (v *valgrind) frame(l parse.Line, text string) {
	if v.last == nil {
		return
	}
	v.last.Extend(l)
	i := strings.LastIndex(text, " (")
	if v.place || i < 0 || !strings.HasSuffix(text, ")") || strings.Contains(text[i:], "vg_replace_") {
		return
	}
	function := text[strings.Index(text, ": ")+1 : i]
	if p, _, ok := parse.PlaceAt(text[i+2:len(text)-1] + ": "); ok && !isRuntimeSource(p.File) &&
		!isLibraryFunction(strings.TrimSpace(function)) {
		v.last.At(p.File, p.Line, 0)
		v.place = true
	}
}

// cutPID removes "==1234== ".
func cutPID(text string) (pid, rest string, ok bool) {
	rest = strings.TrimPrefix(text, "==")
	_, n := parse.Number(rest)
	after, ok := strings.CutPrefix(rest[n:], "==")
	if !ok || n == 0 {
		return "", "", false
	}
	return rest[:n], strings.TrimPrefix(after, " "), after == "" || after[0] == ' '
}

// memoryErrors are beginnings of the errors of Memcheck, Helgrind and DRD.
var memoryErrors = []string{
	"Invalid read of size", "Invalid write of size", "Invalid free()", "Mismatched free()",
	"Conditional jump or move depends on uninitialised",
	"Use of uninitialised value", "Syscall param ", "Source and destination overlap", "Jump to the invalid address",
	"Possible data race during",
	"Conflicting load by", "Conflicting store by", "Thread #", "Argument '", "realloc() with size 0",
	"Invalid alignment value", "Mismatched new/delete",
	"Process terminating because",
}

func isMemoryError(text string) bool {
	for _, w := range memoryErrors {
		if strings.HasPrefix(text, w) {
			return !strings.HasPrefix(text, "Thread #") || strings.Contains(text, "lock order") ||
				strings.Contains(text, "exits with") || strings.Contains(text, "unlocked")
		}
	}
	return false
}

// memoryCode returns the kind of an error, without sizes and addresses.
func memoryCode(text string) string {
	for _, w := range memoryErrors {
		if strings.HasPrefix(text, w) {
			return strings.TrimRight(strings.TrimSuffix(w, " of size"), " '")
		}
	}
	return ""
}

// isLibraryFunction reports whether a frame belongs to the C library. valgrind prints the library's source files
// without a path.
func isLibraryFunction(name string) bool {
	name = strings.TrimLeft(name, "_")
	for _, w := range [...]string{
		"strdup", "strndup", "getline", "getdelim", "fopen", "fdopen", "opendir", "memcpy", "memmove", "memset", "strcpy",
		"strncpy", "strlen", "strcmp", "strcat",
		"printf", "vprintf", "fprintf", "vfprintf", "puts", "fputs", "vasprintf", "asprintf", "pthread_create", "clone",
		"start_thread", "IO_", "itoa_word", "qsort", "realpath",
	} {
		if name == w || strings.HasPrefix(name, w+"@") || strings.HasPrefix(name, w+"_") ||
			w == "IO_" && strings.HasPrefix(name, w) {
			return true
		}
	}
	return false
}
