// Command bench measures blq against common tools in the same run and prints Markdown. Commands that are compared
// run in turns, so that a busy machine slows them alike. The results are medians.
//
//	go run ./script/bench -blq bin/blq
//	go run ./script/bench -blq bin/blq -log FILE	# parsing of this log alone
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/tools/txtar"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) > 2 && os.Args[1] == starterFlag {
		startOne(os.Args[2:])
		return
	}
	bin := flag.String("blq", "bin/blq", "the binary to measure")
	rounds := flag.Int("n", 7, "how often each command runs")
	only := flag.String("only", "", "a part: parse, wrap, start, ask or memory; empty for all")
	file := flag.String("log", "", "a log: only its parsing is measured")
	flag.Parse()
	blq, err := filepath.Abs(*bin)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "blq-bench-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	b := bench{blq: blq, dir: dir, rounds: *rounds}
	if *file != "" {
		text, err := os.ReadFile(*file)
		if err != nil {
			log.Fatal(err)
		}
		if len(text) == 0 {
			log.Fatalf("%s is empty: name a log with lines", *file)
		}
		b.parse(input{filepath.Base(*file), text})
		return
	}
	for _, part := range []struct {
		name    string
		measure func()
	}{
		{"parse", func() { b.parse(input{"built from the goldens", dense()}, input{"under 0.1 % diagnostics", quiet()}) }},
		{"wrap", b.wrap},
		{"start", b.start},
		{"ask", b.ask},
		{"memory", b.memory},
	} {
		if *only == "" || *only == part.name {
			part.measure()
		}
	}
}

type bench struct {
	blq, dir string
	rounds   int
}

const size = 50 << 20

// input is a log. It is repeated until it has the given size.
type input struct {
	name string
	text []byte
}

func (b bench) parse(logs ...input) {
	fmt.Printf("### Parsing\n\nTimes are wall, processor.\n\n| log of %d MB | `wc -l` | `rg -c` | `blq parse` | ÷ wc | ÷ rg "+
		"| MB/s | resident |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n", size>>20)
	for _, in := range logs {
		file := filepath.Join(b.dir, "log")
		b.write(file, in.text)
		t := b.inTurns(
			command{args: []string{"wc", "-l", file}},
			command{args: []string{"rg", "-c", "error|warning|FAILED", file}},
			command{args: []string{b.blq, "parse", file}},
		)
		wc, rg, blq := t[0], t[1], t[2]
		fmt.Printf("| %s | %v | %v | %v | %s | %s | %.0f | %d MB |\n", in.name, wc, rg, blq, blq.over(wc), blq.over(rg),
			size/1e6/blq.wall.Seconds(), blq.rss>>20)
	}
	fmt.Println()
}

func (b bench) wrap() {
	file := filepath.Join(b.dir, "log")
	b.write(file, quiet())
	fmt.Printf(
		"### Wrapping\n\n| output of the command | `… \\| tee log` | `blq run -- …` | ratio |\n| --- | --- | --- | --- |\n")
	paced := `i=0; while [ $i -lt 25 ]; do head -c 2000000 ` + file + `; sleep 0.04; i=$((i+1)); done`
	for _, c := range []struct{ name, script string }{
		{"50 MB at 50 MB/s at most", paced},
		{"50 MB as fast as cat", "cat " + file},
	} {
		t := b.inTurns(
			command{
				args: []string{"sh", "-c", "{ " + c.script + "; } | tee " + filepath.Join(b.dir, "tee.log") + " >/dev/null"}},
			command{args: []string{"sh", "-c", b.blq + " run --name bench -- sh -c '" + c.script + "' >/dev/null"}},
		)
		fmt.Printf("| %s | %v | %v | %.2f |\n", c.name, ms(t[0].wall), ms(t[1].wall), ratio(t[1].wall, t[0].wall))
	}
	fmt.Println()
}

func (b bench) start() {
	b.rounds *= 5 // b is a copy
	t := b.inTurns(command{args: []string{"true"}}, command{args: []string{b.blq, "run", "-q", "--", "true"}})
	fmt.Printf("### Starting\n\n`true` takes %.1f ms, `blq run -- true` %.1f ms: %.1f ms more (medians of %d).\n\n",
		t[0].wall.Seconds()*1000, t[1].wall.Seconds()*1000, (t[1].wall-t[0].wall).Seconds()*1000, b.rounds)
}

func (b bench) memory() {
	file := filepath.Join(b.dir, "log")
	m := b.once(command{args: []string{b.blq, "run", "-q", "--name", "big", "--", "sh",
		"-c", "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do cat " + file + "; done"}})
	fmt.Printf("### Memory\n\n`blq run` of a command that prints 1 GB: %d MB resident at most.\n", m.rss>>20)
}

// command is a command with the directory in which it runs and the .lq folder that it uses. By default, it runs in the
// directory of the benchmark, and uses the .lq folder in that directory.
type command struct {
	args       []string
	dir, store string
}

type measure struct {
	wall time.Duration
	cpu  time.Duration // of the processor, in user and system mode
	rss  int64         // peak memory in bytes
}

func (m measure) String() string { return ms(m.wall) + ", " + ms(m.cpu) }

// over returns two ratios as text: the wall time and the processor time of this measure, each divided by those of the
// measure bare.
func (m measure) over(bare measure) string {
	return fmt.Sprintf("%.1f, %.1f", ratio(m.wall, bare.wall), ratio(m.cpu, bare.cpu))
}

// inTurns runs the commands alternately. For each command it returns the measure with the median wall time, and with
// the median processor time of the command.
func (b bench) inTurns(commands ...command) []measure {
	all := make([][]measure, len(commands))
	for range b.rounds {
		for i, c := range commands {
			all[i] = append(all[i], b.once(c))
		}
	}
	medians := make([]measure, len(commands))
	for i, list := range all {
		slices.SortFunc(list, func(x, y measure) int { return int(x.wall - y.wall) })
		medians[i] = list[len(list)/2]
		slices.SortFunc(list, func(x, y measure) int { return int(x.cpu - y.cpu) })
		medians[i].cpu = list[len(list)/2].cpu
	}
	return medians
}

// once starts the command from a new copy of this program. On Linux a process starts with the peak memory of its
// parent, and a new copy has a low peak memory.
func (b bench) once(c command) measure {
	self, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{starterFlag}, c.args...)...)
	cmd.Dir = cmp.Or(c.dir, b.dir)
	folder := cmp.Or(c.store, filepath.Join(b.dir, ".lq"))
	cmd.Env = append(os.Environ(), "BLQ_DIR="+folder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		log.Fatal(err)
	}
	out, err := cmd.Output()
	if err != nil {
		log.Fatalf("%s: %v", strings.Join(c.args, " "), err)
	}
	var m measure
	if _, err := fmt.Sscan(string(out), &m.wall, &m.cpu, &m.rss); err != nil {
		log.Fatalf("%s: %q: %v", strings.Join(c.args, " "), out, err)
	}
	return m
}

// starterFlag makes this program start a command and print its time and memory.
const starterFlag = "-start"

func startOne(args []string) {
	cmd := exec.Command(args[0], args[1:]...)
	begun := time.Now()
	err := cmd.Run()
	wall := time.Since(begun)
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 1 {
		log.Fatal(err)
	}
	var rss int64
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		rss = usage.Maxrss << 10
	}
	fmt.Println(int64(wall), int64(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()), rss)
}

// write fills a file with a repeated text, up to size bytes.
func (b bench) write(file string, text []byte) {
	f, err := os.Create(file)
	if err != nil {
		log.Fatal(err)
	}
	for left := size; left > 0; left -= len(text) {
		if _, err := f.Write(text[:min(left, len(text))]); err != nil {
			log.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}

// dense returns a log with many events: the output in the goldens.
func dense() []byte {
	var all bytes.Buffer
	files, _ := filepath.Glob("ingest/parse/formats/testdata/*/*.txtar")
	for _, f := range files {
		ar, err := txtar.ParseFile(f)
		if err != nil {
			log.Fatal(err)
		}
		for _, part := range ar.Files {
			if part.Name == "input" {
				all.Write(part.Data)
			}
		}
	}
	if all.Len() == 0 {
		log.Fatal("no goldens: run this at the top of the repository")
	}
	return all.Bytes()
}

// quiet returns the log of a build with 2,000 good lines and one error.
func quiet() []byte {
	var all bytes.Buffer
	for i := range 2000 {
		switch i % 4 {
		case 0:
			fmt.Fprintf(&all, "[%3d%%] Building CXX object src/module%d/CMakeFiles/core.dir/file_%d.cpp.o\n", i/20, i%37, i)
		case 1:
			fmt.Fprintf(&all, "/usr/bin/c++ -DNDEBUG -I/home/ci/project/include -O2 -std=gnu++20 -o file_%d.o -c "+
				"/home/ci/project/src/file_%d.cpp\n", i, i)
		case 2:
			fmt.Fprintf(&all, "2026-01-02T03:04:05.678Z INFO  worker-%d finished task %d in %d ms, queue length %d\n",
				i%8, i, i%97, i%13)
		case 3:
			fmt.Fprintf(&all, "Downloading "+
				"https://repo.example.org/maven2/org/example/artifact-%d/1.%d/artifact-%d-1.%d.jar (%d kB)\n", i, i%9, i,
				i%9, i%500)
		}
	}
	all.WriteString("src/file_1.cpp:10:5: error: 'value' was not declared in this scope\n")
	return all.Bytes()
}

func ms(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }

func ratio(a, b time.Duration) float64 { return a.Seconds() / b.Seconds() }
