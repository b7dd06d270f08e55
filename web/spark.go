package web

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// sparkRuns is the number of runs in a sparkline.
const sparkRuns = 30

// The width of a bar, from bar to bar, and the height of the line, in pixels.
const (
	barWidth   = 5
	sparkStep  = 6
	sparkLevel = 24
)

// sparkline shows how long several runs took as bars, the newest last.
type sparkline struct {
	Bars          []bar
	Width, Height int
	Text          string // what the bars show, in words
	Usual         string // how long the runs before the newest took, "" for fewer than two
}

// bar is a number of a run, such as its time.
type bar struct {
	value               float64
	X, Y, Width, Height int
	Class               string
	Title               string
}

// newSparkline lays out bars, which have their seconds, titles and classes.
func newSparkline(bars []bar) sparkline {
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
	if len(all) > 2 {
		sorted := slices.Clone(all[:len(all)-1])
		sort.Slice(sorted, func(i, j int) bool { return sorted[i] < sorted[j] })
		s.Usual = fmt.Sprintf("usually %s to %s", seconds(sorted[len(sorted)/10]), seconds(sorted[len(sorted)*9/10]))
	}
	return s
}
