package mcp

import (
	"strings"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
)

type summarizeRunIn struct {
	RunID  string `json:"run_id,omitempty" jsonschema:"run to summarize: 5 or build:5; default the newest"`
	Format string `json:"format,omitempty" jsonschema:"brief, detailed or pr-comment" enum:"brief,detailed,pr-comment" default:"\"pr-comment\""`
}

// exampleBytes is the max size in bytes of the example of a summary.
const exampleBytes = 5000

var summarizeRunPrompt = newPrompt("summarize-run", "Summarize a run",
	"Write a summary of a run: brief, detailed, or for a pull request.", func(c *call, in summarizeRunIn) (string, error) {
		format := markdown.Format(in.Format)
		task := map[markdown.Format]string{
			markdown.Brief:     "You are summarizing a build or test run in a few lines.",
			markdown.Detailed:  "You are writing a detailed report on a build or test run.",
			markdown.PRComment: "You are summarizing a build or test run for a comment on its pull request.",
		}[format]
		newest, err := c.Newest(c, query.At{})
		if err != nil {
			return "", err
		}
		if len(newest) == 0 && in.RunID == "" {
			return c.emptyPrompt(task), nil
		}
		r, err := c.RunAt(c, query.At{}, in.RunID)
		if err != nil {
			return "", err
		}
		f, err := markdown.Gather(c, c.Asker, cmdline.Words, r, "")
		if err != nil {
			return "", err
		}
		example := strings.Split(strings.TrimSuffix(markdown.Render(f, format, exampleBytes), "\n"), "\n")
		if f.Run.Errors > 0 && format != markdown.Brief {
			example = append(example, "", "### Likely cause", "", "(one or two sentences, from what you found out)")
		}
		return shrink(c.bytes, func(size promptSize) string {
			list := append(f.New[:len(f.New):len(f.New)], f.Known...)
			return paragraphs(task, dataNote,
				section("Run Details", runDetails(f)),
				section("Results", bullets([]string{"**Errors:** " + f.ErrorCounts(), "**Warnings:** " + f.WarningCounts(),
					markdown.BaselineLine(f.Baseline)})),
				fileSection(f, size),
				section("Error Details", errorList(list, size, marked(f)), c.notListed(list, f.MoreNew+f.MoreKnown, size, r)),
				section("End of the Log", outputEnd(f, size)),
				section("Instructions", summaryRules[format], c.moreOn(f)),
				"**Output format**, written from the data alone; make it better with what you find out:\n\n"+
					markdown.Fence(example, 2000, 0))
		}), nil
	})

// moreOn returns a text on how to learn more about the first error.
func (c *call) moreOn(f *markdown.Facts) string {
	if len(f.New)+len(f.Known) == 0 {
		return ""
	}
	return c.sentence("If more is needed, look at an error with %s", "inspect", "ref", firstRef(f))
}

// summaryRules holds the rules for a summary, by format.
var summaryRules = map[markdown.Format]string{
	markdown.Brief: bullets([]string{
		"Begin with whether it passed", "Name the new errors, at most five, each in one line with its place",
		"Say in one sentence what most likely caused them",
		"No more than ten lines",
	}),
	markdown.Detailed: bullets([]string{
		"Begin with whether it passed, and with what it was compared",
		"Give the facts of the run, and the errors by file as a table",
		"Explain each group of errors with the log lines that show it", "Tell new errors from those that were there before",
		"Mention warnings by number, and only new ones by name",
	}),
	markdown.PRComment: bullets([]string{
		"Begin with whether it passed: the author reads that line first",
		"List the errors that this change brought, before those that were there already; leave out warnings that are not new",
		"Put errors together that have one cause", "Suggest what may have caused them", "Keep it under 200 words",
		"Keep names, paths and messages in `code`, so that nothing in them is read as a mention or a link",
	}),
}

func runDetails(f *markdown.Facts) string {
	list := []string{"**Run:** " + code(f.Run.Ref().String())}
	for _, row := range markdown.RunFacts(f.Run) {
		list = append(list, "**"+row[0]+":** "+row[1])
	}
	return bullets(list)
}

func fileSection(f *markdown.Facts, size promptSize) string {
	files := markdown.Files(f)
	if len(files) == 0 {
		return ""
	}
	return section("Errors by File", markdown.FileTable(files, size.errors))
}

// firstRef returns the reference of the first error, or else of the run.
func firstRef(f *markdown.Facts) string {
	for _, list := range [][]markdown.Group{f.New, f.Known} {
		if len(list) > 0 {
			return list[0].Sample.Ref().String()
		}
	}
	return f.Run.Ref().String()
}
