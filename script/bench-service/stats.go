//go:build unix

package main

import (
	"fmt"
	"slices"
	"time"
)

// quantile returns the value at a fraction of the sorted values.
func quantile[T int64 | float64 | time.Duration](values []T, part float64) T {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[min(len(sorted)-1, int(part*float64(len(sorted))))]
}

// turns measures two functions that do the same work. It calls them alternately. a and b are the median times of ours
// and theirs. Each round gives a ratio: the time of theirs divided by the time of ours. ratio is the median of
// these ratios.
func turns(rounds int, ours, theirs func(round int) error) (a, b time.Duration, ratio float64, err error) {
	var first, second []time.Duration
	var ratios []float64
	for round := range rounds + 1 {
		var took [2]time.Duration
		for i := range 2 {
			which := (round + i) % 2
			began := time.Now()
			if err := []func(int) error{ours, theirs}[which](round); err != nil {
				return 0, 0, 0, err
			}
			took[which] = time.Since(began)
		}
		if round == 0 { // the first round only warms up
			continue
		}
		first, second = append(first, took[0]), append(second, took[1])
		ratios = append(ratios, took[1].Seconds()/took[0].Seconds())
	}
	return quantile(first, 0.5), quantile(second, 0.5), quantile(ratios, 0.5), nil
}

// atOnce calls do n times, in several goroutines.
func atOnce(workers, n int, do func(i int) error) error {
	failed := make(chan error, workers)
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	for range workers {
		go func() {
			for i := range next {
				if err := do(i); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	var first error
	for range workers {
		if err := <-failed; err != nil && first == nil {
			first = err
		}
	}
	return first
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()*1000) }
