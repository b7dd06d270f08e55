package query

import "regexp"

// What lines of logs look like.
var (
	// timestamp: what GitHub puts before a line.
	timestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z `)
	// rulerLine: drawn, not written.
	rulerLine = regexp.MustCompile(`^[-=_*#.~+|\s]*$`)
	// stackFrame: a frame of a stack trace, of any language.
	stackFrame = regexp.MustCompile(`^panic\(\{|^(testing|runtime)\.[\w.*()]+\(|^created by |^goroutine \d+|^\s+/\S+\.go:\d+|^\s*(at |File "|from |#\d+ |\.{3} \d+ more|\[\.\.\.\])|\(([\w$]+\.(java|kt|scala|groovy|clj):\d+|Native Method|Unknown Source)\)`)
	// foreignFrame: one of a library or a runtime.
	foreignFrame = regexp.MustCompile(`^panic\(\{|^(testing|runtime)\.|^created by (testing|runtime)|^goroutine \d+|site-packages|dist-packages|node_modules|/usr/lib/|/usr/local/(lib|go)/|(^|[\s/])(java|javax|jdk|sun|org\.(junit|testng|mockito|assertj|hamcrest|apache\.(maven|tools))|org\.gradle|worker\.org\.gradle|scala|kotlin|groovy|clojure)\.[\w.$]+\(|internal/process|\(node:|/gems/|/rustc/|<frozen |\[\.\.\.\]`)
	// runnerMark: pytest marks what failed.
	runnerMark = regexp.MustCompile(`^(E|>)\s`)
	// failureWords: words of failure.
	failureWords = regexp.MustCompile(`(?i)caused by|error|exception|expected|actual|\bassert|panic|\bfail|\bgot\b|\bwant\b|undefined|not found|cannot|can't|no such|denied|refused|^\s*(left|right|received):|^[-+] ?[^-+\s]`)
	// commandEnd: a CI system says that the command ended badly.
	commandEnd = regexp.MustCompile(`^Process completed with exit code|^The command ".*" (exited with [1-9]|failed)`)
	// jobEnd: what comes after has nothing to do with it.
	jobEnd = regexp.MustCompile(`^Post job cleanup|^Done\. Your build exited|^ERROR: Job failed|^script returned exit code|^Finished: FAILURE`)
	// greenWords: words of failure that say the reverse.
	greenWords = regexp.MustCompile(`(?i)\b(0|no) (errors?|fail)|(errors?|failures?|failed): ?0\b`)
	// routineLine: what every job prints.
	routineLine = regexp.MustCompile(`^##\[(end)?group\]|^\[command\]|^travis_(fold|time):|A complete log of this run|^Cleaning up orphan|^\s+at .*node:internal`)
)
