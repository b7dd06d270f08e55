package questions

import (
	"context"

	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
)

// Table is a list of rows. Tools are listed in the order of the rows.
type Table []Row

// All returns the table.
func All() Table {
	t := Table{
		Triage.Row, Report.Row, Pull.Row, run, exec, cancel,
		Query.Row, Events.Row, errors, warnings, Inspect.Row, Event.Row, Context.Row, Output.Row, Raw.Row, Growth.Row,
		Status.Row, Info.Row, Brief.Row, History.Row, Diff.Row, Check.Row, Tests.Row,
	}
	t = append(t, ofToolsets()...)
	return append(t, commands, register, unregister, clean)
}

// maxContext is the max number of lines around an event that a service returns.
const maxContext = 1000

// These are the questions about runs, events and logs.
var (
	Triage = New(Row{
		Name: "triage", About: "Say what failed, what of it is new, and what to do next",
		Tool: "triage", Access: ofLogs, Command: "triage", Positional: []string{"ref"},
	}, (*query.Asker).Triage)

	Report = newReport(Row{
		Name: "report", About: "Write Markdown about a run: for a pull request, or for people",
		Tool: "summarize", Access: ofLogs, Command: "report", Positional: []string{"ref"},
	}, func(by Local, ctx context.Context, p markdown.Params) (markdown.Report, error) {
		return markdown.Write(ctx, by.Asker, by.Line, p)
	})

	Pull = newReport(Row{
		Name: "pull", About: "Write Markdown about all runs of a commit, for a pull request",
		Tool: "summarize", Access: ofLogs,
	}, func(by Local, ctx context.Context, p markdown.PullParams) (markdown.Pull, error) {
		return markdown.WritePull(ctx, by.Asker, by.Line, p)
	})

	Query = New(Row{
		Name: "query", About: "Ask anything about events and runs, with SQL or a filter",
		Tool: "query", Access: inSQL, Compat: true, Command: "query", Positional: []string{"sql"},
	}, (*query.Asker).Query)

	Events = New(Row{
		Name: "events", About: "List events: of a run, or of the newest run of each source",
		Tool: "events", Access: ofLogs, Command: "events", Positional: []string{"ref"},
		Flags: map[string]string{"file_pattern": "file"},
	}, (*query.Asker).Events)

	Inspect = New(Row{
		Name: "inspect", About: "Show events with their log, source, git and history",
		Tool: "inspect", Access: ofLogs, Command: "inspect", Positional: []string{"ref"},
		Flags: map[string]string{
			"include_log_context": "log", "include_source_context": "source", "include_git_context": "git",
			"include_fingerprint_history": "history",
			"include_graph_context":       "graph",
		},
	}, (*query.Asker).Inspect).limited(func(p *query.InspectParams) { p.Lines = min(p.Lines, maxContext) })

	Event = New(Row{
		Name: "event", About: "Show one event with the facts of its run",
		Tool: "inspect", Access: ofLogs, Compat: true, Command: "event", Positional: []string{"ref"},
	}, (*query.Asker).EventDetails)

	Context = New(Row{
		Name: "context", About: "Show the log around an event",
		Tool: "inspect", Access: ofLogs, Compat: true, Command: "context", Positional: []string{"ref"},
		Flags: map[string]string{"context_lines": "lines"},
	}, (*query.Asker).Context).limited(func(p *query.ContextParams) { p.Lines = min(p.Lines, maxContext) })

	Output = New(Row{
		Name: "output", About: "Show the log of a run, or a part of it",
		Tool: "output", Access: ofLogs, Command: "output", Positional: []string{"ref"},
	}, (*query.Asker).OutputPart).limited(func(p *query.OutputParams) { p.Context = min(p.Context, maxContext) })

	Raw = New(Row{
		Name: "raw", About: "Tell the exact bytes of a log, part by part",
		Tool: "output", Access: ofLogs,
	}, (*query.Asker).Raw)

	Growth = New(Row{
		Name: "growth", About: "Tell what was added to the log of a run since the last answer",
		Tool: "output", Access: ofLogs,
	}, (*query.Asker).Growth)

	Status = New(Row{
		Name: "status", About: "Show how the newest run of each source went",
		Tool: "status", Access: ofRuns, Compat: true, Command: "status",
	}, (*query.Asker).Status)

	Info = New(Row{
		Name: "info", About: "Show what is known of a run; with --context a compact account of its errors",
		Tool: "info", Access: ofLogs, Command: "info", Positional: []string{"ref"},
	}, (*query.Asker).Info).limited(func(p *query.InfoParams) { p.Wait = min(p.Wait, query.MaxWait) })

	Brief = New(Row{
		Name: "brief", About: "Give a compact account of a run: each event with the log around it",
		Tool: "info", Access: ofLogs,
	}, (*query.Asker).Brief).limited(func(p *query.InfoParams) {
		p.Context, p.Wait = min(p.Context, maxContext), min(p.Wait, query.MaxWait)
	})

	History = New(Row{
		Name: "history", About: "List past runs, newest first",
		Tool: "history", Access: ofRuns, Compat: true, Command: "history", Positional: []string{"source"},
	}, (*query.Asker).History)

	Diff = New(Row{
		Name: "diff", About: "Compare the errors of a run: what is new, what is fixed",
		Tool: "diff", Access: ofLogs, Compat: true, Command: "diff", Positional: []string{"run1", "run2"},
	}, (*query.Asker).Diff)

	Tests = New(Row{
		Name: "tests", About: "How tests went: failing, flaky, slowest; the history of one",
		Tool: "tests", Access: ofLogs, Command: "tests", Positional: []string{"show"},
	}, (*query.Asker).Tests)

	Check = New(Row{
		Name: "check", About: "Exit with 1 if a run has errors, or new ones",
		Tool: "diff", Access: ofLogs, Command: "ci check", Positional: []string{"run"},
	}, (*query.Asker).Check)
)

// These rows have no method of their own. Some list events of one severity. Others are tools that run commands, list
// the registered commands, or make changes.
var (
	errors = Row{
		Name: "errors", About: "List errors: of a run, or of the newest run of each source",
		Tool: "events", Access: ofLogs, Compat: true, Command: "errors", Positional: []string{"ref"}, Flags: Events.Flags,
	}
	warnings = Row{
		Name: "warnings", About: "List warnings: of a run, or of the newest run of each source",
		Tool: "events", Access: ofLogs, Compat: true, Command: "warnings", Positional: []string{"ref"}, Flags: Events.Flags,
	}
	run = Row{
		Name: "run", About: "Run a registered command and say how it went",
		Tool: "run", Access: runs, Compat: true, Command: "run", Positional: []string{"command", "args"},
		Flags: map[string]string{"extra": Dashes},
	}
	exec = Row{
		Name: "exec", About: "Run any shell command and say how it went",
		Tool: "exec", Access: runsAny, Command: "exec", Positional: []string{"command"},
	}
	cancel = Row{
		Name: "cancel", About: "End a running run that this server started",
		Tool: "cancel", Access: ends,
	}
	commands = Row{
		Name: "commands", About: "List the registered commands",
		Tool: "commands", Access: lists, Command: "commands",
	}
	register = Row{
		Name: "register_command", About: "Register a command",
		Tool: "register_command", Access: registers, Command: "commands register",
		Positional: []string{"force", "name", "cmd"}, Flags: map[string]string{"force": "force", "defaults": "default"},
	}
	unregister = Row{
		Name: "unregister_command", About: "Remove a command from the registry; its runs stay",
		Tool: "unregister_command", Access: unregisters, Command: "commands unregister", Positional: []string{"name"},
	}
	clean = Row{
		Name: "clean", About: "Remove recorded runs for good",
		Tool: "clean", Access: cleans, Command: "clean", Positional: []string{"mode", "source"},
		Flags: map[string]string{"confirm": "yes"},
	}
)
