package web

import (
	"fmt"
	"slices"
	"strings"
)

// sparkRuns is the number of runs in a sparkline.
const sparkRuns = 30

// The size of a bar, and the height of the line, in pixels.
const (
	barWidth   = 5
	sparkStep  = 6
	sparkLevel = 24
)

// sparkline shows a value of several runs as bars, the newest last.
type sparkline struct {
	Bars   []bar
	values []float64
}

// bar is the value of a run.
type bar struct {
	value float64
	X, Y  int
	High  int
	Class string
	Title string
}

// add adds the value of the next run.
func (s *sparkline) add(value float64, title, class string) {
	s.Bars = append(s.Bars, bar{value: value, Title: title, Class: class, X: sparkStep * len(s.Bars)})
	s.values = append(s.values, value)
	highest := slices.Max(s.values)
	for i := range s.Bars {
		b := &s.Bars[i]
		b.High = 2
		if highest > 0 {
			b.High = max(2, int(sparkLevel*b.value/highest))
		}
		b.Y = sparkLevel - b.High
	}
}

// Width returns the width in pixels.
func (s sparkline) Width() int { return max(1, sparkStep*len(s.Bars)) }

// Level returns the height in pixels.
func (sparkline) Level() int { return sparkLevel }

// BarWidth returns the width of a bar in pixels.
func (sparkline) BarWidth() int { return barWidth }

// Text returns what the bars show, in words.
func (s sparkline) Text() string {
	var titles []string
	for _, b := range s.Bars {
		titles = append(titles, b.Title)
	}
	return strings.Join(titles, "; ")
}

// Range says how long the runs take, "" for fewer than three.
func (s sparkline) Range() string {
	if len(s.values) < 3 {
		return ""
	}
	sorted := slices.Sorted(slices.Values(s.values[:len(s.values)-1]))
	return fmt.Sprintf("usually %s to %s", seconds(sorted[len(sorted)/10]), seconds(sorted[len(sorted)*9/10]))
}
