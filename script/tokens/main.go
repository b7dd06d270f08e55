// Tokens measures how much text an agent has to read. It measures the definitions of the tools, and compares the
// answers about failing builds with the logs of the builds. Tokens runs these builds itself. It also measures captured
// logs in the folders that its arguments name. The environment variable BLQ is the path of the program to measure.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// These are bytes of JSON per token with the o200k vocabulary: 4.2 to 4.3 for definitions, and 3.4 to 3.5 for answers.
// Answers have fewer bytes per token, because they contain text of logs. Other vocabularies differ by a few per cent.
const (
	definitionBytes = 4.2
	answerBytes     = 3.4
)

// These are the targets that the command checks.
const (
	maxTokens = 6000    // max tokens of all definitions together
	bigLog    = 500_000 // min bytes of a log that counts as big
	maxShare  = 0.01    // max size of triage as a fraction of a big log
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "tokens:", err)
		os.Exit(1)
	}
}

func run(folders []string) error {
	blq, err := filepath.Abs(os.Getenv("BLQ"))
	if err != nil || os.Getenv("BLQ") == "" {
		return errors.Join(errors.New("BLQ names no program"), err)
	}
	dir, err := os.MkdirTemp("", "tokens")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	missed := definitions(blq, dir)
	made, err := builds(blq, dir)
	if err != nil {
		return err
	}
	table("Real builds, made here", made, len(made))
	missed = errors.Join(missed, tooLarge(made))
	for _, folder := range folders {
		logs, err := captured(blq, folder)
		if err != nil {
			return err
		}
		table(fmt.Sprintf("%d captured logs, the 15 largest", len(logs)), logs, 15)
		total(logs)
		missed = errors.Join(missed, tooLarge(logs))
	}
	return missed
}

// definitions prints the size of the answer to tools/list.
func definitions(blq, dir string) error {
	c, err := connect(blq, dir)
	if err != nil {
		return err
	}
	defer c.close()
	result, err := c.request("tools/list", map[string]any{})
	if err != nil {
		return err
	}
	var list struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(result, &list); err != nil {
		return err
	}
	slices.SortFunc(list.Tools, func(a, b json.RawMessage) int { return cmp.Compare(len(b), len(a)) })
	fmt.Println("Definitions of tools (tokens: bytes / 4.2)")
	sum := 0
	for _, t := range list.Tools {
		var tool struct{ Name string }
		if err := json.Unmarshal(t, &tool); err != nil {
			return err
		}
		sum += len(t)
		fmt.Printf("  %-20s %7d bytes %6.0f tokens\n", tool.Name, len(t), float64(len(t))/definitionBytes)
	}
	tokens := float64(sum) / definitionBytes
	fmt.Printf("  %-20s %7d bytes %6.0f tokens; the target is less than %d\n", fmt.Sprintf("all %d", len(list.Tools)), sum,
		tokens, maxTokens)
	if tokens >= maxTokens {
		return fmt.Errorf("definitions have %.0f tokens", tokens)
	}
	return nil
}

// measured is a failing build, with the sizes in bytes of its log and of the answers about it.
type measured struct {
	name                     string
	log, run, triage, events int // run is 0 for an imported log
}

func table(title string, list []measured, maxRows int) {
	list = slices.SortedStableFunc(slices.Values(list), func(a, b measured) int { return cmp.Compare(b.log, a.log) })
	fmt.Printf("\n%s (bytes; share of the log)\n  %-28s %9s %15s %15s %15s\n", title, "", "log", "run", "triage", "events")
	for _, m := range list[:min(len(list), maxRows)] {
		fmt.Printf("  %-28.28s %9d %15s %15s %15s\n", m.name, m.log, share(m.run, m.log), share(m.triage, m.log),
			share(m.events, m.log))
	}
}

func share(n, log int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%d %6.2f %%", n, 100*float64(n)/float64(max(1, log)))
}

func total(list []measured) {
	var sum measured
	for _, m := range list {
		sum.log, sum.triage, sum.events = sum.log+m.log, sum.triage+m.triage, sum.events+m.events
	}
	n := max(1, len(list))
	fmt.Printf("  all: log %d, triage %s, events %s; triage has about %.0f tokens in the mean\n",
		sum.log, share(sum.triage, sum.log), share(sum.events, sum.log), float64(sum.triage/n)/answerBytes)
}

// tooLarge returns an error that names the big logs whose triage is too large. It returns nil if there are none.
func tooLarge(list []measured) error {
	var names []string
	for _, m := range list {
		if m.log > bigLog && float64(m.triage) >= maxShare*float64(m.log) {
			names = append(names, m.name)
		}
	}
	if names == nil {
		return nil
	}
	return fmt.Errorf("triage is more than %.0f %% of %s", 100*maxShare, strings.Join(names, ", "))
}
