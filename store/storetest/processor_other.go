//go:build !unix

package storetest

import "time"

// processor returns 0, because the processor time of this process is not measured on this system.
func processor() time.Duration { return 0 }
