package web

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// sparkRuns is the number of runs in a sparkline.
const sparkRuns = 30

// These are sizes in pixels: the width of a bar, the distance between the left edges of two bars, and the height of a
// sparkline.
const (
	barWidth   = 5
	sparkStep  = 6
	sparkLevel = 24
)

// sparkline shows the durations of several runs as bars, the newest run last.
type sparkline struct {
	Bars          []bar
	Width, Height int
	Text          string // description of the bars in words
	Usual         string // usual duration of earlier runs, "" if there are fewer than two
}

// bar is a bar in a plot. It shows a value of a run, such as the duration.
type bar struct {
	value               float64
	X, Y, Width, Height int
	Class               string
	Title               string
}

// sized returns the attributes with the size of a drawing. On a narrow screen the drawing shrinks.
func sized(width, height int) g.Node {
	return g.Group{h.Width(strconv.Itoa(width)), h.Height(strconv.Itoa(height)),
		g.Attr("viewBox", fmt.Sprintf("0 0 %d %d", width, height)), g.Attr("preserveAspectRatio", "none")}
}

// newSparkline computes the layout of bars. Each bar must have a value, a title and a class. The
// parameter earlier holds the durations of earlier runs in seconds.
func newSparkline(bars []bar, earlier []float64) sparkline {
	s := sparkline{Bars: bars, Width: max(1, sparkStep*len(bars)), Height: sparkLevel}
	var all []float64
	var titles []string
	for _, b := range bars {
		all, titles = append(all, b.value), append(titles, b.Title)
	}
	s.Text = strings.Join(titles, "; ")
	for i := range bars {
		b := &bars[i]
		b.Height = 2
		if highest := slices.Max(all); highest > 0 {
			b.Height = max(2, int(sparkLevel*b.value/highest))
		}
		b.X, b.Y, b.Width = sparkStep*i, sparkLevel-b.Height, barWidth
	}
	if len(earlier) > 1 {
		sorted := slices.Clone(earlier)
		sort.Slice(sorted, func(i, j int) bool { return sorted[i] < sorted[j] })
		s.Usual = fmt.Sprintf("usually %s to %s", seconds(sorted[len(sorted)/10]), seconds(sorted[len(sorted)*9/10]))
	}
	return s
}
