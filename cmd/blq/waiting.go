package main

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/term"
)

// waitingEvery is the time between two lines that report a wait, if stderr is not a terminal.
const waitingEvery = 10 * time.Second

// waiting returns two functions for a wait of the program. show prints on stderr what the program waits for, and the
// progress. end must be called after the wait. On a terminal, show rewrites a single line, and end removes this line.
func (a *app) waiting(what string) (show func(done, all int64), end func()) {
	file, ok := a.stderr.(*os.File)
	anew, shown := ok && term.IsTerminal(int(file.Fd())) && !a.notes.plain, false
	var last time.Time
	show = func(done, all int64) {
		text := "blq: " + what + progressOf(done, all)
		switch {
		case anew:
			fmt.Fprintf(a.stderr, "\r\x1b[K%s; Ctrl-C ends this", text)
		case !shown || time.Since(last) >= waitingEvery:
			fmt.Fprintln(a.stderr, text)
			last = time.Now()
		}
		shown = true
	}
	return show, func() {
		if anew && shown {
			fmt.Fprint(a.stderr, "\r\x1b[K")
		}
	}
}

// progressOf returns a text that says how much of a log is stored, such as ": 1.2 of 2.0 GB". It returns "" if nothing
// is known.
func progressOf(done, all int64) string {
	unit, name, form := 1e9, "GB", "%.1f"
	if max(done, all) < 1e9 {
		unit, name, form = 1e6, "MB", "%.0f"
	}
	switch {
	case all > 0:
		return fmt.Sprintf(": "+form+" of "+form+" %s", float64(done)/unit, float64(all)/unit, name)
	case done > 0:
		return fmt.Sprintf(": "+form+" %s", float64(done)/unit, name)
	}
	return ""
}
