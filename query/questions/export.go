//go:build !job

package questions

import (
	"context"

	"github.com/blq-ci/blq/export"
)

// Export is the question for documents in standard formats. The program for jobs does not have this question.
var Export = newReport(Row{
	Name: "export", About: "Write a run in a standard form: JUnit XML, SARIF, CTRF, Checkstyle, rdjson or OTLP",
	Tool: "output", Access: ofLogs,
}, func(by Local, ctx context.Context, p export.Params) (export.Part, error) {
	return export.Write(ctx, by.Asker, p)
})
