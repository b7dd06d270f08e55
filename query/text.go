package query

import (
	"math"
	"strconv"
	"strings"
	"time"
)

func itoa(n int) string { return strconv.Itoa(n) }

// seconds returns a duration in seconds, rounded to a thousandth.
func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }

// splitList splits a text at commas, and drops spaces and empty words.
func splitList(s string) []string {
	var list []string
	for word := range strings.SplitSeq(s, ",") {
		if word = strings.TrimSpace(word); word != "" {
			list = append(list, word)
		}
	}
	return list
}
