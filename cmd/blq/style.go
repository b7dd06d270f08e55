package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/blq-ci/blq/store"
)

// style decides how text is decorated. By default, text has colours at a terminal, and no colours in a pipe.
// Environment variables override this default; see newStyle. Text for agents is as short as possible.
type style struct {
	colour bool
	plain  bool // text for an agent, without decoration
}

// newStyle returns the style for an output. It reads NO_COLOR, CLICOLOR_FORCE, TERM, and the variables that agents set.
func newStyle(getenv func(string) string, out *os.File) style {
	s := style{plain: getenv("AI_AGENT") != "" || getenv("AGENT") != "" || getenv("CLAUDECODE") != ""}
	switch {
	case getenv("NO_COLOR") != "" || s.plain:
	case getenv("CLICOLOR_FORCE") != "" && getenv("CLICOLOR_FORCE") != "0":
		s.colour = true
	default:
		s.colour = term.IsTerminal(int(out.Fd())) && getenv("TERM") != "dumb"
	}
	return s
}

const (
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
	bold   = "1"
	dim    = "2"
)

func (s style) paint(code, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) status(status store.Status) string {
	switch status {
	case store.StatusOK:
		return s.paint(green, string(status))
	case store.StatusRunning:
		return s.paint(cyan, string(status))
	}
	return s.paint(red, string(status))
}

func (s style) severity(severity store.Severity) string {
	switch severity {
	case store.SeverityError:
		return s.paint(red, "error")
	case store.SeverityWarning:
		return s.paint(yellow, "warning")
	}
	return s.paint(dim, string(severity))
}

// table writes the head and the rows with aligned columns. The last column may have any width. For agents, table writes
// no head, and separates cells by two spaces without aligning them.
func (s style) table(w io.Writer, head []string, rows [][]string) error {
	if !s.plain && len(rows) > 0 {
		titles := make([]string, len(head))
		for i, h := range head {
			titles[i] = s.paint(dim, h)
		}
		rows = append([][]string{titles}, rows...)
	}
	width := make([]int, len(head))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], visible(cell))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			b.WriteString(cell)
			if i < len(row)-1 && !s.plain {
				b.WriteString(strings.Repeat(" ", width[i]-visible(cell)))
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// visible returns the number of characters of s that a terminal shows.
func visible(s string) int {
	n, escape := 0, false
	for _, r := range s {
		switch {
		case r == '\x1b':
			escape = true
		case escape:
			escape = r != 'm'
		default:
			n++
		}
	}
	return n
}

// firstLine returns the first line of a message. A line that ends with a colon is only a heading, so firstLine appends
// the next line that is not empty. A result of more than n characters is cut to n-1 characters and an ellipsis.
func firstLine(s string, n int) string {
	s, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	s = strings.TrimRight(s, " \t\r")
	if rest = strings.TrimSpace(rest); strings.HasSuffix(s, ":") && rest != "" {
		next, _, _ := strings.Cut(rest, "\n")
		s += " " + strings.TrimRight(next, " \t\r")
	}
	r := []rune(s)
	if len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// count returns a number with a noun: "1 error", "2 errors".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// short returns a duration in a short form, such as 1.5s or 2m10s.
func short(d time.Duration) string {
	switch ms := d.Round(time.Millisecond); {
	case ms < time.Second:
		return fmt.Sprintf("%dms", ms.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// ago returns in words how long ago the time t was.
func ago(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	}
	return fmt.Sprintf("%dd ago", int(d.Hours()/24))
}
