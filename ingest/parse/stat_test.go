package parse

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"sort"
	"testing"
)

// BenchmarkTriggerStats prints how many lines of the log named by BLQ_BENCH_LOG
// each format is offered and takes, and which literals fire most.
func BenchmarkTriggerStats(b *testing.B) {
	log, err := os.ReadFile(os.Getenv("BLQ_BENCH_LOG"))
	if err != nil {
		b.Skip("BLQ_BENCH_LOG names no log")
	}
	tr := newTriggers(All)
	var env envelope
	offered := make([]int, len(All))
	lits := map[string]int{}
	grams := map[string]int{}
	lines, any := 0, 0
	for line := range bytes.Lines(log) {
		lines++
		text := env.strip(env.plain(bytes.TrimRight(line, "\r\n"))).text
		var m mask
		tr.scan(text, &m)
		if !m.empty() {
			any++
		}
		for i := range All {
			if m.has(i) {
				offered[i]++
				for _, l := range All[i].Triggers {
					if bytes.Contains(text, []byte(l)) {
						lits[All[i].Name+" "+fmt.Sprintf("%q", l)]++
					}
				}
				for _, l := range All[i].Starts {
					if bytes.HasPrefix(text, []byte(l)) {
						lits[All[i].Name+" ^"+fmt.Sprintf("%q", l)]++
					}
				}
			}
		}
		for i := 0; i+4 <= len(text); i++ {
			v := binary.LittleEndian.Uint32(text[i:])
			if h := gramHash(v); tr.grams[h>>3]&(1<<(h&7)) != 0 {
				grams[string(text[i:i+4])]++
			}
		}
	}
	taken := make([]int, len(All))
	formats := append([]Format(nil), All...)
	for i := range formats {
		if n := formats[i].New; n != nil {
			formats[i].New = func() Matcher {
				m := n()
				return func(s *Scan, l Line) bool {
					ok := m(s, l)
					if ok {
						taken[i]++
					}
					return ok
				}
			}
		}
	}
	Bytes(log, nil, Options{Formats: formats})
	order := make([]int, len(All))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return offered[order[a]] > offered[order[b]] })
	fmt.Printf("%d lines, %d with a trigger; short literals %d, glyphs %d\n", lines, any, len(tr.short), len(tr.glyphs))
	for _, i := range order[:min(40, len(order))] {
		fmt.Printf("%-20s offered %7d taken %7d\n", All[i].Name, offered[i], taken[i])
	}
	top := func(m map[string]int) {
		keys := make([]string, 0, len(m))
		sum := 0
		for k, n := range m {
			keys = append(keys, k)
			sum += n
		}
		sort.Slice(keys, func(a, b int) bool { return m[keys[a]] > m[keys[b]] })
		fmt.Println("sum", sum)
		for _, k := range keys[:min(45, len(keys))] {
			fmt.Printf("  %-40q %d\n", k, m[k])
		}
	}
	top(lits)
	top(grams)
	for _, l := range tr.short {
		fmt.Printf("short %q\n", l.text)
	}
}
