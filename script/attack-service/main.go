//go:build linux

// Command attack-service measures how much attacks on the hosted service slow down a neighbour. The neighbour is
// another tenant that repeatedly asks for its status. The command starts a real blqd on SQLite and one on
// PostgreSQL, only on this machine, and prints Markdown. Quiet times and attacks alternate, so that a busy machine
// slows both in the same way. The attacker is a process with the lowest priority, so that the service gets the
// processors first. The command ends after a limited time.
//
//	go run ./script/attack-service -blqd bin/blqd
//	go run ./script/attack-service -blqd bin/blqd -engines sqlite -only 'statements|idle' -events 1000000
//	go run ./script/attack-service -blqd bin/blqd -engines bare,sqlite,postgres -only war
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	blqd    string
	engines string
	only    *regexp.Regexp
	rounds  int
	time    time.Duration
	longest time.Duration
	sizes
}

// sizes are the sizes of the data for attacks.
type sizes struct {
	Events int // events in each of the two runs about which an attack asks, and in a run that an attack sends
	LogMB  int // size of a log that an attack searches, and of a log that it sends
	DocsMB int // size of the documents of each tenant that has documents
	Idle   int // connections that do nothing
	Tests  int // results of tests in each run of a tenant
	Runs   int // max runs of a tenant, and errors per run; at most a million errors per tenant
}

func main() {
	log.SetFlags(0)
	role, rest := os.Getenv(roleVariable), os.Getenv(targetVariable)
	if role == bareEngine {
		log.Fatal(serveBare())
	}
	if role != "" {
		if err := attackAs(role, []byte(rest)); err != nil {
			log.Fatal(err)
		}
		return
	}
	var o options
	var only string
	flag.StringVar(&o.blqd, "blqd", "bin/blqd", "the service to attack")
	flag.StringVar(&o.engines, "engines", "sqlite,postgres", "databases of the service; bare does no work")
	flag.StringVar(&only, "only", "", "a regular expression for the names of attacks")
	flag.IntVar(&o.rounds, "n", 3, "rounds of a quiet time and an attack")
	flag.DurationVar(&o.time, "time", 5*time.Second, "how long each takes")
	flag.DurationVar(&o.longest, "longest", 30*time.Minute, "when to give up")
	flag.IntVar(&o.Events, "events", 100_000, "events of a large run")
	flag.IntVar(&o.LogMB, "log-mb", 200, "MB of a large log")
	flag.IntVar(&o.DocsMB, "docs-mb", 19, "MB of documents of each tenant that has some")
	flag.IntVar(&o.Idle, "idle", 4150, "idle connections")
	flag.IntVar(&o.Tests, "tests", 20_000, "results of tests in a run")
	flag.IntVar(&o.Runs, "runs", 300, "runs of a tenant with many")
	flag.Parse()
	o.only = regexp.MustCompile(only)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, o.longest)
	defer cancel()
	if err := run(ctx, o); err != nil {
		cancel()
		stop()
		log.Fatal(err)
	}
}

func run(ctx context.Context, o options) (err error) {
	if o.blqd, err = filepath.Abs(o.blqd); err != nil {
		return err
	}
	fmt.Printf("Neighbour: p50 and p99 of `status` in ms, quiet and attacked; × is the median over %d rounds of how many "+
		"times its p99 is.\nAfter: ms until it was as fast as before. Memory: the most that blqd had, with and "+
		"without its children, in MB. CPU: %% of a processor that blqd worked under attack, without PostgreSQL.\n\n", o.rounds)
	fmt.Println(
		"| engine | attack | quiet p50 | p99 | attacked p50 | p99 | × | failed | after | memory | CPU | the attacker got |")
	fmt.Println("|" + strings.Repeat(" --- |", 12))
	for engine := range strings.SplitSeq(o.engines, ",") {
		if err := attackEngine(ctx, o, engine); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
	}
	return nil
}

func attackEngine(ctx context.Context, o options, engine string) (err error) {
	dir, err := os.MkdirTemp("", "blq-attack-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for _, a := range attacks {
		if !o.only.MatchString(a.name) {
			continue
		}
		if err := attackOnce(ctx, o, engine, filepath.Join(dir, "data"), a); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		if err := os.RemoveAll(filepath.Join(dir, "data")); err != nil {
			return err
		}
	}
	return nil
}

// attackOnce measures one attack on a new service.
func attackOnce(ctx context.Context, o options, engine, dir string, a attack) (err error) {
	s, err := start(ctx, o, engine, dir, a.needs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	n := newNeighbour(s)
	defer n.close()
	if err := n.warm(ctx); err != nil {
		return err
	}
	m := s.watchMemory()
	var quiet, attacked latencies
	var ratios []float64
	var after, worked time.Duration
	got := map[string]int{}
	for range o.rounds {
		before, err := n.measure(ctx, o.time)
		if err != nil {
			return err
		}
		p, err := s.attack(ctx, a.name, o.time+settle)
		if err != nil {
			return err
		}
		ended := s.command(ctx, beside[a.name])
		pause(ctx, settle/2)
		used := processorTime(s.cmd.Process.Pid)
		during, err := n.measure(ctx, o.time)
		worked += processorTime(s.cmd.Process.Pid) - used
		if err := errors.Join(err, p.end(got), ended()); err != nil {
			return err
		}
		after = max(after, n.recovers(ctx, 3*before.quantile(0.99)))
		ratios = append(ratios, during.quantile(0.99).Seconds()/before.quantile(0.99).Seconds())
		quiet, attacked = quiet.add(before), attacked.add(during)
	}
	counts, _ := json.Marshal(got)
	fmt.Printf("| %s | %s | %s | %s | %s | %s | %.1f | %d | %s | %s | %.0f | %s |\n", engine, a.name,
		ms(quiet.quantile(0.5)),
		ms(quiet.quantile(0.99)), ms(attacked.quantile(0.5)), ms(attacked.quantile(0.99)), median(ratios), attacked.failed,
		ms(after), m.end(), 100*worked.Seconds()/(o.time.Seconds()*float64(o.rounds)), counts)
	return ctx.Err()
}

// settle is the time by which an attack is longer than its measurement. Half of this time is before the measurement,
// and half is after it.
const settle = time.Second

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
