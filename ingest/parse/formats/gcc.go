package formats

import (
	"path"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// gccFormat reads the diagnostics of gcc and clang, and of tools that print the same form: clang-tidy, clang-format,
// cppcheck, the assembler.
var gccFormat = parse.Format{
	Name:  "gcc",
	About: "gcc and clang, with clang-tidy, clang-format --dry-run and cppcheck",
	Triggers: []string{
		"error:", "warning:", "note:", "remark:", "Error:", "Warning:", "sorry, unimplemented:",
		" style:", " performance:", " portability:", " information:", // cppcheck
		": In function '", ": In member function '", ": At global scope:", ": At top level:",
		"compiler identification is ", " generated.",
	},
	Starts: []string{
		"gcc ", "g++ ", "clang ", "clang++ ", "/usr/bin/clang", "/usr/bin/gcc", "/usr/bin/g++",
	},
	New: func() parse.Matcher { return new(compiler).match },
}

// compiler follows the diagnostics of one lane. gcc and clang print nearly the same lines. If a line does not show
// which compiler printed it, other lines of the lane decide.
type compiler struct {
	name   string         // "gcc" or "clang" by the newest sure sign, "" before the first
	unsure []*parse.Draft // diagnostics since that sign for which the compiler is not known
	last   *parse.Draft   // the diagnostic to which following notes belong
}

const maxUnsure = 200

func (c *compiler) match(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	if i := strings.Index(text, "compiler identification is "); i >= 0 {
		c.identify(text[i+len("compiler identification is "):])
		return false
	}
	if strings.HasSuffix(text, " generated.") {
		return c.generated(text)
	}
	if p, rest, ok := parse.PlaceAt(text); ok {
		return isCSource(p.File) && c.diagnostic(s, l, p, rest)
	}
	name, rest, ok := strings.Cut(text, ": ")
	if !ok {
		c.command(text)
		return false
	}
	if strings.HasPrefix(rest, "In function '") || strings.HasPrefix(rest, "In member function '") ||
		strings.HasPrefix(rest, "At global scope:") || strings.HasPrefix(rest, "At top level:") {
		if isCSource(name) {
			c.sure("gcc")
		}
		return false
	}
	if name == "error" || name == "warning" { // the driver of clang, without a place
		return strings.HasSuffix(text, "]") && strings.Contains(text, " [-W") && c.diagnostic(s, l, parse.Place{}, text)
	}
	// Names such as <command-line>, <built-in> and <stdin> are not files. <no location info> is from GHC.
	if strings.HasPrefix(name, "<") && name != "<no location info>" {
		return c.virtual(s, l, text)
	}
	return c.driver(s, name, rest) || c.gasDirect(s, name, rest)
}

// diagnostic reads the text after the place of a diagnostic.
func (c *compiler) diagnostic(s *parse.Scan, l parse.Line, p parse.Place, rest string) bool {
	severity, message, ok := compilerSeverity(rest)
	if !ok || strings.HasPrefix(rest, "error: -[") { // a test of XCTest
		return false
	}
	if severity == store.SeverityInfo && strings.HasPrefix(rest, "note:") && c.last != nil {
		c.last.Extend(l)
		c.snippet(s, c.last)
		return true
	}
	if strings.HasPrefix(message, "(Each undeclared identifier is reported") ||
		strings.HasPrefix(message, "for each function it appears in") {
		return true // gcc before 4.7 printed notes as errors
	}
	message, flag := cutFlag(message)
	d := parse.Draft{Event: store.Event{Severity: severity, File: p.File, Line: p.Line, Column: p.Column,
		Message: message, Category: store.CategoryCompile}}
	tool, isUnsure := c.tool(message, flag, rest)
	d.Tool, d.Code = tool, warningFlag(flag)
	if tool != "gcc" && tool != "clang" && tool != "as" {
		d.Category = store.CategoryLint
	}
	d.Key = p.File + "\x00" + rest + "\x00" + positionKey(p)
	if first := s.Reported(tool, d.Key); first != nil { // a header that many files include
		c.last = nil
		c.snippet(s, &d)
		return true
	}
	c.last = s.Add(d)
	if isUnsure && len(c.unsure) < maxUnsure {
		c.unsure = append(c.unsure, c.last)
	}
	c.snippet(s, c.last)
	return true
}

// virtual reads <command-line>:0:0: error: … and <command-line>: warning: ….
func (c *compiler) virtual(s *parse.Scan, l parse.Line, text string) bool {
	_, rest, ok := strings.Cut(text, ">:")
	if !ok {
		return false
	}
	rest = strings.TrimLeft(rest, "0123456789: ")
	return c.diagnostic(s, l, parse.Place{}, rest)
}

// driver reads a message that begins with the compiler's name: "cc1plus: fatal error: a.cpp: No such file or
// directory".
func (c *compiler) driver(s *parse.Scan, name, rest string) bool {
	tool, ok := compilerName(name)
	if !ok {
		return false
	}
	severity, message, ok := compilerSeverity(rest)
	if !ok || severity == store.SeverityInfo {
		return false
	}
	message, flag := cutFlag(message)
	d := parse.Draft{Event: store.Event{Severity: severity, Message: message, Tool: tool, Code: warningFlag(flag),
		Category: store.CategoryCompile}}
	if strings.HasPrefix(message, "ld returned ") || strings.HasPrefix(message, "linker command failed") {
		d.Weight, d.Category, d.Tool = parse.Repeat, store.CategoryLink, "ld"
	}
	c.last = s.Add(d)
	return true
}

// gasDirect reads "/tmp/ccX.s: Error: …", which the assembler prints about a whole file.
func (c *compiler) gasDirect(s *parse.Scan, name, rest string) bool {
	if message, ok := strings.CutPrefix(rest, "Error: "); ok &&
		(strings.HasSuffix(name, ".s") || strings.HasSuffix(name, ".S")) {
		s.Add(parse.Draft{Event: store.Event{File: name, Message: message, Tool: "as", Category: store.CategoryCompile}})
		return true
	}
	return false
}

// tool returns the tool that printed a diagnostic. unsure reports whether another tool may have printed the same text.
func (c *compiler) tool(message, flag, rest string) (name string, unsure bool) {
	switch {
	case strings.Contains(flag, "-Wclang-format-violations"):
		return "clang-format", false
	case isTidyCheck(flag):
		return "clang-tidy", false
	case isAnalyzerCheck(flag):
		return "clang-analyzer", false
	case isCppcheckID(flag):
		return "cppcheck", false
	case strings.HasPrefix(rest, "Error:"), strings.HasPrefix(rest, "Warning:"):
		return "as", false
	case strings.Contains(flag, "-Werror="), strings.Contains(message, "‘"):
		return c.sure("gcc"), false
	case strings.Contains(flag, "-Werror,"), containsAny(message, clangWords):
		return c.sure("clang"), false
	case containsAny(message, gccWords):
		return c.sure("gcc"), false
	case c.name != "":
		return c.name, true
	}
	return "gcc", true
}

// sure records which compiler is in use. At the first sure sign of a compiler, the earlier diagnostics get the name of
// this compiler.
func (c *compiler) sure(name string) string {
	if c.name == "" {
		c.rename(name)
	}
	c.name, c.unsure = name, nil
	return name
}

func (c *compiler) rename(name string) {
	for _, d := range c.unsure {
		d.Tool = name
	}
}

// identify reads "-- The CXX compiler identification is GNU 12.2.0".
func (c *compiler) identify(id string) {
	switch {
	case strings.HasPrefix(id, "GNU"):
		c.sure("gcc")
	case strings.Contains(id, "Clang"):
		c.sure("clang")
	}
}

// command reads the name of the compiler from its command line.
func (c *compiler) command(text string) {
	word, _, _ := strings.Cut(text, " ")
	if name, ok := compilerName(word); ok {
		c.sure(name)
	}
}

// generated reads clang's summary of a file: "1 warning and 2 errors generated."
func (c *compiler) generated(text string) bool {
	if _, n := parse.Number(text); n == 0 || !strings.Contains(text, "error") && !strings.Contains(text, "warning") {
		return false
	}
	c.rename("clang")
	c.name, c.unsure = "clang", nil
	if c.last != nil {
		c.last = nil
	}
	return true
}

// clangWords and gccWords are words that only one of the two compilers prints.
var (
	clangWords = []string{
		"use of undeclared identifier", "' file not found", "no member named '", "call to undeclared function",
		"too many errors emitted",
		"non-void function does not return", "expected ';' after", "expected ';' at end", "no matching constructor",
		"incompatible pointer types passing",
		"unknown warning option '",
	}
	gccWords = []string{
		": No such file or directory", "(first use in this function)", "was not declared in this scope",
		"has no member named", " before '",
		"control reaches end of non-void function", "suggest parentheses", "defined but not used", "request for member '",
		"at end of input",
	}
)

// compilerSeverity reads the usual severity words, and the words that only GCC and Cppcheck use.
func compilerSeverity(rest string) (store.Severity, string, bool) {
	if message, ok := strings.CutPrefix(rest, "sorry, unimplemented: "); ok {
		return store.SeverityError, message, true
	}
	if strings.HasPrefix(rest, "internal compiler error: ") {
		return store.SeverityError, rest, true
	}
	for _, w := range [...]string{"performance:", "portability:", "information:"} {
		if message, ok := strings.CutPrefix(rest, w); ok {
			return store.SeverityInfo, strings.TrimSpace(message), true
		}
	}
	severity, message, ok := parse.SeverityAt(rest)
	return severity, message, ok && message != ""
}

// compilerName returns "gcc" or "clang" for the name of a program, such as x86_64-linux-gnu-g++-12, cc1plus or
// /usr/bin/clang++. It returns false if the program belongs to neither compiler.
func compilerName(name string) (string, bool) {
	if strings.ContainsAny(name, " '\"`") || len(name) > 300 {
		return "", false
	}
	name = strings.TrimSuffix(name[strings.LastIndexAny(name, `/\`)+1:], ".exe")
	if i := strings.LastIndexByte(name, '-'); i > 0 && strings.Trim(name[i+1:], "0123456789.") == "" {
		name = name[:i]
	}
	if i := strings.LastIndexByte(name, '-'); i > 0 && name != "clang-cl" && name != "lto-wrapper" {
		name = name[i+1:]
	}
	switch name {
	case "gcc", "g++", "cc1", "cc1plus", "cc1obj", "cc1objplus", "lto1", "collect2", "lto-wrapper", "gfortran", "f951":
		return "gcc", true
	case "clang", "clang++", "clang-cl", "emcc", "em++":
		return "clang", true
	case "cc", "c++":
		return "gcc", true
	}
	return "", false
}

// cutFlag splits the trailing "[-Wflag]" from a message.
func cutFlag(message string) (text, flag string) {
	if !strings.HasSuffix(message, "]") {
		return message, ""
	}
	i := strings.LastIndex(message, " [")
	if i < 0 {
		return message, ""
	}
	flag = message[i+2 : len(message)-1]
	if flag == "enabled by default" { // gcc 4 prints this instead of the flag
		return message[:i], ""
	}
	if strings.HasPrefix(flag, "-") || isTidyCheck(flag) || isAnalyzerCheck(flag) || isCppcheckID(flag) {
		return strings.TrimSpace(message[:i]), flag
	}
	return message, ""
}

// warningFlag returns the flag of a warning, even if -Werror has made the warning an error: -Werror=unused-variable and
// -Werror,-Wunused-variable become -Wunused-variable.
func warningFlag(flag string) string {
	flag = strings.TrimPrefix(flag, "-Werror,")
	if rule, ok := strings.CutPrefix(flag, "-Werror="); ok {
		return "-W" + rule
	}
	flag, _, _ = strings.Cut(flag, ",")
	return flag
}

// tidyGroups are the first words of clang-tidy's checks.
var tidyGroups = []string{
	"abseil", "altera", "android", "boost", "bugprone", "cert", "clang-analyzer", "clang-diagnostic", "concurrency",
	"cppcoreguidelines", "darwin", "fuchsia",
	"google", "hicpp", "linuxkernel", "llvm", "llvmlibc", "misc", "modernize", "mpi", "objc", "openmp", "performance",
	"portability", "readability", "zircon",
}

func isTidyCheck(flag string) bool {
	if strings.HasPrefix(flag, "-") {
		return false
	}
	for _, g := range tidyGroups {
		if len(flag) > len(g) && strings.HasPrefix(flag, g) && flag[len(g)] == '-' {
			return true
		}
	}
	return false
}

// isAnalyzerCheck reports whether the parameter flag names a checker of clang's static analyzer, such as
// core.NullDereference.
func isAnalyzerCheck(flag string) bool {
	for _, g := range [...]string{"core.", "unix.", "deadcode.", "cplusplus.", "security.", "nullability.", "optin.",
		"osx.", "alpha."} {
		if strings.HasPrefix(flag, g) {
			return true
		}
	}
	return false
}

// isCppcheckID reports whether flag is an ID of cppcheck: nullPointer, memleak.
func isCppcheckID(flag string) bool {
	if len(flag) < 5 || !parse.IsLower(flag[0]) {
		return false
	}
	for i := range len(flag) {
		if c := flag[i] | 0x20; (c < 'a' || c > 'z') && !parse.IsDigit(flag[i]) && flag[i] != '_' {
			return false
		}
	}
	return true
}

// isCSource reports whether gcc or clang may read a file. Such a file has a known extension. A header of a C++ library
// may have no extension, but is below a folder include or c++.
func isCSource(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".c", ".cc", ".cpp", ".cxx", ".c++", ".cp", ".h", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".tpp", ".txx", ".tcc",
		".inl", ".inc", ".ixx", ".cppm", ".mpp", ".ino",
		".m", ".mm", ".cu", ".cuh", ".cl", ".s", ".asm", ".i", ".ii", ".l", ".ll", ".y", ".yy", ".def", ".x", ".in", ".moc",
		".f", ".f90", ".f95", ".for", ".xs":
		return true
	case "":
		return strings.Contains(file, "/include/") || strings.Contains(file, "/c++/")
	}
	return false
}

func positionKey(p parse.Place) string {
	return strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}
