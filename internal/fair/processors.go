package fair

import "runtime"

// maxWork is the max number of requests of a tenant that wait for a processor.
const maxWork = 1000

// maxModest is the max number of turns of callers that have worked far less than those at work. The system shares the
// processors among them, so they begin at once, and slow the others down only briefly.
const maxModest = 2

// NewProcessors returns a Queue of those who need a processor. It has a slot less than there are processors, and one
// for brief requests. What arrives while all processors work would wait until one of them pauses.
func NewProcessors() *Queue {
	return NewQueue(max(2, runtime.NumCPU()), maxWork).Spare(1, 1).Modest(maxModest)
}
