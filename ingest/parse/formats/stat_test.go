package formats

import (
	"bytes"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/blq-ci/blq/ingest/parse"
)

// BenchmarkTriggerStats prints statistics about the log that BLQ_BENCH_LOG names. It prints how many lines each format
// is offered and takes, and how often the literals of the formats occur in the offered lines.
func BenchmarkTriggerStats(b *testing.B) {
	log, err := os.ReadFile(os.Getenv("BLQ_BENCH_LOG"))
	if err != nil {
		b.Skip("BLQ_BENCH_LOG names no log")
	}
	offered, taken, literals := map[string]int{}, map[string]int{}, map[string]int{}
	formats := append([]parse.Format(nil), All().Formats()...)
	for i, f := range formats {
		if f.Lines == nil && f.Match == nil && f.New == nil {
			continue
		}
		formats[i].Lines, formats[i].Match = nil, nil
		formats[i].New = func() parse.Matcher {
			match := f.Match
			if f.New != nil {
				match = f.New()
			}
			return func(s *parse.Scan, l parse.Line) bool {
				offered[f.Name]++
				for _, literal := range literalsIn(f, l.Text) {
					literals[literal]++
				}
				_, ok := f.Lines.Read(l.Text)
				ok = ok || match != nil && match(s, l)
				if ok {
					taken[f.Name]++
				}
				return ok
			}
		}
	}
	parse.Bytes(log, nil, parse.Options{Formats: parse.NewList(formats...)})
	fmt.Printf("%d lines\n", bytes.Count(log, []byte("\n")))
	for _, name := range most(offered, 40) {
		fmt.Printf("%-20s offered %7d taken %7d\n", name, offered[name], taken[name])
	}
	for _, literal := range most(literals, 45) {
		fmt.Printf("  %-40s %d\n", literal, literals[literal])
	}
}

// literalsIn returns the literals of a format that a line contains.
func literalsIn(f parse.Format, text string) (found []string) {
	for _, literal := range f.Triggers {
		if strings.Contains(text, literal) {
			found = append(found, fmt.Sprintf("%s %q", f.Name, literal))
		}
	}
	for _, literal := range f.Starts {
		if strings.HasPrefix(text, literal) {
			found = append(found, fmt.Sprintf("%s ^%q", f.Name, literal))
		}
	}
	return found
}

// most returns the keys with the largest counts, at most n.
func most(counts map[string]int, n int) []string {
	var keys []string
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(a, b int) bool { return counts[keys[a]] > counts[keys[b]] })
	return keys[:min(n, len(keys))]
}
