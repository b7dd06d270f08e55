package main

import (
	"context"
	"io"

	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/web"
)

// reportPage writes the page of a run to a file. The file appears only when it is complete. If the name is "-", the
// page is written to stdout.
func (a *app) reportPage(ctx context.Context, p markdown.Params, file string) error {
	by, err := a.asked(ctx)
	if err != nil {
		return err
	}
	p.Format = markdown.Brief
	about, err := questions.Report.Ask(ctx, by, p)
	if err != nil {
		return err
	}
	page := web.FileParams{Ref: about.RunRef, Baseline: p.Baseline}
	if file == "-" {
		return web.WriteFile(ctx, by, page, a.stdout)
	}
	return toFile(file, func(to io.Writer) error { return web.WriteFile(ctx, by, page, to) })
}
