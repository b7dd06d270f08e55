package docs_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/facts/docs"
)

// common are words that occur in many blocks.
var common = strings.Fields("the build test run config option server client error value returns function install " +
	"package command line flag output request response timeout retry cache memory process file path string number " +
	"object array promise await async handler route plugin schema version release change default example")

// corpus returns Markdown with the given number of lines. A few words are frequent, and most are rare.
func corpus(lines int) string {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		if r.IntN(2) == 0 {
			return common[r.IntN(1+r.IntN(len(common)))]
		}
		return fmt.Sprintf("term%d", r.IntN(1+r.IntN(1+r.IntN(30_000))))
	}
	var b strings.Builder
	for n := 0; n < lines; n++ {
		switch n % 22 {
		case 0:
			fmt.Fprintf(&b, "%s %s %s item%d\n", strings.Repeat("#", 1+r.IntN(4)), word(), word(), n/22)
		case 1:
			b.WriteByte('\n')
		default:
			for range 6 {
				b.WriteString(word() + " ")
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func BenchmarkIndex(b *testing.B) {
	for _, lines := range []int{100, 43_150, 400_000} {
		set := memory{"llms-full.txt": corpus(lines)}
		size := float64(len(set["llms-full.txt"]))
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			runtime.LockOSThread()
			start := cpuTime(b)
			for b.Loop() {
				x := index(b, set, nil)
				b.ReportMetric(float64(len(x.Bytes()))/size, "index/text")
			}
			used := (cpuTime(b) - start) / time.Duration(b.N)
			b.ReportMetric(used.Seconds()*1000, "cpu-ms/op")
			b.ReportMetric(used.Seconds()*1000/(size/1e6), "cpu-ms/MB")
		})
	}
}

// BenchmarkReindex builds an index after one document of many has changed.
func BenchmarkReindex(b *testing.B) {
	set := memory{}
	for i := range 200 {
		set[fmt.Sprintf("%03d.md", i)] = corpus(2000)
	}
	old := index(b, set, nil)
	set["100.md"] += "# More\n\nmore\n"
	runtime.LockOSThread()
	start := cpuTime(b)
	for b.Loop() {
		index(b, set, old)
	}
	b.ReportMetric((cpuTime(b)-start).Seconds()*1000/float64(b.N), "cpu-ms/op")
}

func BenchmarkOpen(b *testing.B) {
	encoded := index(b, memory{"llms-full.txt": corpus(400_000)}, nil).Bytes()
	b.SetBytes(int64(len(encoded)))
	for b.Loop() {
		if _, err := docs.Open(encoded); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, lines := range []int{43_150, 400_000} {
		s := source(b, memory{"llms-full.txt": corpus(lines)})
		for _, q := range []string{
			"retry timeout", "item42", "how do I set the cache option of the server", `"memory process"`,
		} {
			b.Run(fmt.Sprintf("%d/%s", lines, q), func(b *testing.B) {
				median(b, func() {
					if len(search(b, s, docs.Query{Text: q})) == 0 {
						b.Fatal("nothing found")
					}
				})
			})
		}
	}
}

func BenchmarkSnippets(b *testing.B) {
	s := source(b, memory{"llms-full.txt": corpus(400_000)})
	for _, mode := range []docs.Mode{docs.None, docs.Symmetric, docs.All} {
		b.Run(string(mode), func(b *testing.B) {
			c := cite(b, "docs:300000-300100")
			median(b, func() {
				if _, err := s.Snippets(b.Context(), c, docs.Context{Mode: mode}); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// median reports the median CPU time of do.
func median(b *testing.B, do func()) {
	b.Helper()
	runtime.LockOSThread()
	var all []time.Duration
	for b.Loop() {
		start := cpuTime(b)
		do()
		all = append(all, cpuTime(b)-start)
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds()), "cpu-p50-µs")
}
