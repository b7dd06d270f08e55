package fair

import "runtime"

// maxWork is the max number of a tenant's requests that wait for a processor.
const maxWork = 1000

// maxModest is the max number of additional turns for brief requests of modest callers (see Queue.Modest). Additional
// turns begin at once. They slow the other turns down only briefly, because the operating system shares the processors
// among all turns.
const maxModest = 2

// NewProcessors returns a Queue for CPU-intensive work. It has as many slots as there are processors, and at least two.
// One slot is reserved for brief requests. Without this slot, brief requests would have to wait until a turn pauses.
func NewProcessors() *Queue {
	return NewQueue(max(2, runtime.NumCPU()), maxWork).Spare(1, 1).Modest(maxModest)
}
