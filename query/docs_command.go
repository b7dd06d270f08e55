package query

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/store"
)

// DocsCommandParams name a command.
type DocsCommandParams struct {
	Command string `json:"command" jsonschema:"stats, history, list, validate, inspect, schema"`
	Source  string `json:"source,omitempty" jsonschema:"alias"`
	DocsAt
}

// CommandOutput is the output of a command.
type CommandOutput struct {
	Stdout string `json:"stdout" jsonschema:"output"`
	Stderr string `json:"stderr" jsonschema:"error messages"`
	Exit   int    `json:"exitCode" jsonschema:"0, or 1 if something is wrong"`
}

// docsCommands holds the commands by name. Each command is a Go function. blq starts no program.
var docsCommands = map[string]func(l *library, ctx context.Context, alias string) (CommandOutput, error){
	"stats": (*library).stats, "history": (*library).history, "list": (*library).list, "validate": (*library).validate,
	"inspect": (*library).inspect, "schema": (*library).schema,
}

// DocsCommand runs a read-only command about documentation. Malformed: there is no such command. Invalid: the question
// names no command, or it names no source and the command needs one. NotFound: there is no such source.
func (a *Asker) DocsCommand(ctx context.Context, p DocsCommandParams) (CommandOutput, error) {
	if p.Command == "" {
		return CommandOutput{}, store.Next(store.Errorf(store.Invalid, "run-command needs a command"),
			store.NewCall("run-command", "", "command", "stats"))
	}
	run := docsCommands[p.Command]
	if run == nil {
		return CommandOutput{}, store.Next(
			store.Errorf(
				store.Malformed,
				"%.80q is not a command here; there are stats, history, list, validate, inspect and schema",
				p.Command), store.NewCall("run-command", "", "command", "stats"))
	}
	l, err := a.library(p.DocsAt)
	if err != nil {
		return CommandOutput{}, err
	}
	if p.Source == "" && (p.Command == "history" || p.Command == "inspect") {
		return CommandOutput{}, store.Next(store.Errorf(store.Invalid, "%s needs a source", p.Command),
			store.NewCall("list-sources", "lists the aliases"))
	}
	out, err := run(l, ctx, p.Source)
	out.Stdout, out.Stderr = l.sanitise(out.Stdout), l.sanitise(out.Stderr)
	return out, docsError(err)
}

// sanitise returns a text without control characters. It also replaces the names of directories on this machine.
func (l *library) sanitise(text string) string {
	text = Clean(text)
	for _, h := range l.Home {
		if h[0] != "" && h[0] != "/" {
			text = strings.ReplaceAll(text, h[0], h[1])
		}
	}
	return text
}

// installed returns the aliases of sources that can be searched. If the repository has its own documents, their alias,
// docs, comes first.
func (l *library) installed(ctx context.Context) ([]string, error) {
	names, err := l.aliases(ctx, everySource)
	if err != nil {
		return nil, err
	}
	if _, err := l.describeOwn(ctx); store.CodeOf(err) == store.NotFound {
		return names[1:], nil
	} else if err != nil {
		return nil, err
	}
	return names, nil
}

func (l *library) stats(ctx context.Context, alias string) (CommandOutput, error) {
	names := []string{alias}
	if alias == "" {
		var err error
		if names, err = l.installed(ctx); err != nil {
			return CommandOutput{}, err
		}
	}
	var lines, headings, documents int
	var text, size int64
	var times []time.Duration
	for _, name := range names {
		s, err := l.open(ctx, name, "")
		if err != nil {
			return CommandOutput{}, err
		}
		of := l.indexes[s].Stats()
		lines, headings, documents = lines+of.Lines, headings+of.Headings, documents+of.Documents
		text, size = text+of.Text, size+int64(of.Bytes)
		began := time.Now()
		if _, err := s.Search(ctx, docs.Query{Text: "install configuration error"}); err != nil {
			return CommandOutput{}, err
		}
		times = append(times, time.Since(began))
	}
	out := fmt.Sprintf("Total sources: %d\nTotal documents: %s\nTotal headings: %s\nTotal indexed lines: %s\nText "+
		"size: %s\nIndex size: %s\n",
		len(names), thousands(documents), thousands(headings), thousands(lines), megabytes(text), megabytes(size))
	if len(times) > 0 {
		slices.Sort(times)
		out += fmt.Sprintf("Median search time: %.1fms\n", float64(times[len(times)/2].Microseconds())/1000)
	}
	return CommandOutput{Stdout: out}, nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func (l *library) history(ctx context.Context, alias string) (CommandOutput, error) {
	if alias == docs.RepositoryAlias {
		own, err := l.describeOwn(ctx)
		return CommandOutput{Stdout: fmt.Sprintf("docs is the repository's own: its history is that of git, now at %s\n",
			own.Version)}, err
	}
	versions, err := l.versions(ctx, alias)
	if err != nil {
		return CommandOutput{}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s update history:\n", alias)
	for i, v := range versions {
		what := "Updated"
		if i == len(versions)-1 {
			what = "Added"
		}
		fmt.Fprintf(&b, "%s - %s (%s) %s@%s, %s lines\n", v.FetchedAt.UTC().Format("2006-01-02 15:04:05Z"), what,
			duration(v.Took), alias, short(v.Digest), thousands(v.Lines))
	}
	return CommandOutput{Stdout: b.String()}, nil
}

func (l *library) list(ctx context.Context, alias string) (CommandOutput, error) {
	list, err := l.asker.ListSources(ctx, ListSourcesParams{Filter: alias, DocsAt: DocsAt{Repo: l.repo, At: l.at}})
	var b strings.Builder
	for _, s := range list.Sources {
		fmt.Fprintf(&b, "%s\t%s\t%s", s.Alias, s.Kind, s.URL)
		if s.Metadata != nil {
			fmt.Fprintf(&b, "\t%s lines, %s headings", thousands(s.Metadata.Lines), thousands(s.Metadata.Headings))
		}
		b.WriteByte('\n')
	}
	return CommandOutput{Stdout: b.String()}, err
}

// validate checks one source, or all installed sources if no source is named. It compares each text with its digest and
// its stored number of lines.
func (l *library) validate(ctx context.Context, alias string) (CommandOutput, error) {
	names := []string{alias}
	if alias == "" {
		var err error
		if names, err = l.installed(ctx); err != nil {
			return CommandOutput{}, err
		}
	}
	var out CommandOutput
	for _, name := range names {
		problem, err := l.check(ctx, name)
		if err != nil {
			return out, err
		}
		if problem != "" {
			out.Exit = 1
			out.Stderr += name + ": " + problem + "\n"
			continue
		}
		out.Stdout += name + ": valid\n"
	}
	return out, nil
}

// check returns a sentence about the problem of a source, or "" if there is no problem.
func (l *library) check(ctx context.Context, alias string) (string, error) {
	if alias == docs.RepositoryAlias {
		_, err := l.open(ctx, alias, "")
		return problemOf(err)
	}
	versions, err := l.versions(ctx, alias)
	if err != nil {
		return "", err
	}
	for _, v := range versions {
		content, err := text{v, l.Blobs}.Read(ctx, facts.File{})
		if err != nil {
			return problemOf(err)
		}
		index, err := docs.Build(ctx, fetched{text{v, l.Blobs}, content}, nil)
		if err != nil {
			return problemOf(err)
		}
		if stats := index.Stats(); stats.Lines != v.Lines {
			return fmt.Sprintf("version %s has %d lines instead of %d", short(v.Digest), stats.Lines, v.Lines), nil
		}
	}
	_, err = l.open(ctx, alias, "")
	return problemOf(err)
}

// problemOf returns the message of an error if the error is about stored data. Otherwise it returns "" and the
// error.
func problemOf(err error) (string, error) {
	err = docsError(err)
	if code := store.CodeOf(err); code == store.Failed || code == store.NotFound {
		return err.Error(), nil
	}
	return "", err
}

func (l *library) inspect(ctx context.Context, alias string) (CommandOutput, error) {
	var about any
	if alias == docs.RepositoryAlias {
		own, err := l.describeOwn(ctx)
		if err != nil {
			return CommandOutput{}, err
		}
		about = own
	} else {
		versions, err := l.versions(ctx, alias)
		if err != nil {
			return CommandOutput{}, err
		}
		v := versions[0]
		about = struct {
			Alias        string `json:"alias"`
			Title        string `json:"title,omitempty"`
			URL          string `json:"url"`
			FinalURL     string `json:"finalUrl"`
			SHA256       string `json:"sha256"`
			ETag         string `json:"etag,omitempty"`
			LastModified string `json:"lastModified,omitempty"`
			FetchedAt    string `json:"fetchedAt"`
			CheckedAt    string `json:"checkedAt"`
			Bytes        int64  `json:"bytes"`
			Lines        int    `json:"totalLines"`
			Headings     int    `json:"headings"`
			Versions     int    `json:"versions"`
		}{v.Alias, v.Title, v.URL, v.FinalURL, v.Digest, v.ETag, v.LastModified, stamp(v.FetchedAt),
			stamp(v.CheckedAt), v.Bytes,
			v.Lines, v.Headings, len(versions)}
	}
	b, err := json.MarshalIndent(about, "", "  ")
	return CommandOutput{Stdout: string(b) + "\n"}, err
}

func (l *library) schema(context.Context, string) (CommandOutput, error) {
	b, err := docsSchemas()
	return CommandOutput{Stdout: string(b) + "\n"}, err
}
