package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/capture"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/project/backend"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// app is the state of one call of blq: its streams, flags and project. All commands share it.
type app struct {
	stdin    io.Reader
	stdout   io.Writer
	stderr   io.Writer
	getenv   func(string) string
	style    style           // style of text on stdout
	notes    style           // style of text on stderr
	table    questions.Table // table of questions, nil means questions.All
	opened   *opened
	backend  *backend.Backend // answers questions about documentation; nil until needed
	unopened error            // why the project could not be opened, nil if it is open
	command  string           // the command line as the user called it, for hints
	all      globalFlags      // flags that all commands have
	form     answerForm       // how the answer is printed
	where    whereFlags       // where to ask
	remote   store.Arguments  // arguments with which a call asks the same server, empty for the .lq folder
	began    bool             // the command line was valid
	died     *capture.Result  // result of the wrapped command, if this process must end in the same way
}

// opened is the project of the command.
type opened struct {
	*project.Project
	ask *query.Asker
}

// open opens the .lq folder that project.Find finds for the current directory. The error is NotFound if there is none.
func (a *app) open(ctx context.Context) (*opened, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	dir, err := project.Find(cwd, a.getenv)
	if err != nil {
		return nil, err
	}
	return a.opening(project.OpenToRead(ctx, dir))
}

// place returns the path of the .lq folder for recording, or "" if the current directory is unknown. The folder may not
// exist yet.
func (a *app) place() string {
	cwd, err := os.Getwd()
	if err != nil {
		return ""
	}
	return project.Place(cwd, a.getenv)
}

// create opens the .lq folder for recording. It creates the folder if necessary.
func (a *app) create(ctx context.Context) (*opened, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	dir := project.Place(cwd, a.getenv)
	if _, err := project.Create(dir); err != nil {
		return nil, err
	}
	w, err := a.opening(project.Open(ctx, dir))
	if err != nil {
		return nil, err
	}
	return w, w.Writable()
}

// opening stores an opened project in the app, and returns the project with its asker.
func (a *app) opening(w *project.Project, err error) (*opened, error) {
	if err != nil {
		return nil, err
	}
	w.SetRoot(a.root())
	a.opened = &opened{w, backend.Asker(w)}
	return a.opened, nil
}

// root returns the folder of the project. Registered commands run there.
func (a *app) root() string {
	if a.opened != nil {
		return a.opened.Root()
	}
	cwd, err := os.Getwd()
	if err != nil {
		return ""
	}
	return backend.Root(cwd, a.getenv)
}

func (a *app) close() {
	if a.backend != nil {
		_ = a.backend.Close() // an error does not matter, because the answer is already printed
	}
	if a.opened != nil {
		_ = a.opened.Leave() // the data is stored; the next process repeats work that fails here
	}
}

// reply asks a question and prints the answer. With --json it prints JSON. Otherwise it calls the function text.
func reply[P, A any](c *cobra.Command, a *app, q questions.Question[P, A], p P, text func(A) error) error {
	by, err := a.asked(c.Context())
	if err != nil {
		return err
	}
	return judge(c, a, by, q, p, text, nil)
}

// judge is like reply, but the caller chooses who answers: the parameter by. The function bad reports whether an answer
// is bad, and may be nil. If the flag --exit-code is set, a bad answer makes the command end with exit code 1.
func judge[P, A any](c *cobra.Command, a *app, by asked, q questions.Question[P, A], p P,
	text func(A) error, bad func(A) bool) error {
	answer, err := q.Ask(c.Context(), by, p)
	if err != nil {
		return err
	}
	if a.form.json {
		err = a.answerJSON(answer)
	} else {
		err = text(answer)
	}
	if err != nil {
		return err
	}
	return a.verdict(bad != nil && bad(answer))
}

// answerJSON prints an answer as JSON.
func (a *app) answerJSON(answer any) error {
	a.noteLeftOut(answer)
	return a.json(answer)
}

// noteLeftOut prints on stderr which runs a history leaves out, because the JSON of a history does not say this. For
// other answers it prints nothing.
func (a *app) noteLeftOut(answer any) {
	if h, ok := answer.(query.History); ok && h.Note != "" {
		fmt.Fprintln(a.stderr, h.Note)
	}
}

// exit is an error with an exit code. The code is the exit code of a wrapped command or of a check. cobra passes
// the error on.
type exit struct{ code int }

func (e exit) Error() string { return fmt.Sprintf("exit %d", e.code) }
