package query

import (
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// wordKind is the kind of a word in an error.
type wordKind int

// These are the kinds of words in an error, in the order in which documents are searched for the words.
const (
	wordCode wordKind = iota // the rule or error code
	wordTest                 // the test
	wordName                 // a name in the message
	wordFile                 // the file
)

// errorWord is a word that is specific to an error.
type errorWord struct {
	kind wordKind
	text string
	file string // file of the error
}

// maxWords is the max number of words to search for.
const maxWords = 8

// wordsOfErrors returns at most maxWords different words of errors: first the codes, then the tests, the names and the
// files.
func wordsOfErrors(errors []store.Event) []errorWord {
	var list []errorWord
	for _, e := range errors {
		list = append(list, wordsOf(e)...)
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].kind < list[j].kind })
	var kept []errorWord
	for _, w := range list {
		same := slices.ContainsFunc(kept, func(k errorWord) bool { return k.text == w.text })
		if !same && len(kept) < maxWords {
			kept = append(kept, w)
		}
	}
	return kept
}

// wordsOf returns the words of an error. It leaves out words that are not specific to the error or its project.
func wordsOf(e store.Event) []errorWord {
	var list []errorWord
	add := func(kind wordKind, text string) { list = append(list, errorWord{kind, text, e.File}) }
	if isTelling(e.Code) && strings.Trim(e.Code, "0123456789") != "" {
		add(wordCode, e.Code)
	}
	message := e.Message[:min(len(e.Message), maxSearchedMessage)]
	for _, m := range codeIn.FindAllStringSubmatch(message, maxWords) {
		if isTelling(m[1]) {
			add(wordCode, m[1])
		}
	}
	if name := testName(e.Test); len(name) >= minName && isName(name) {
		add(wordTest, name)
	}
	for _, m := range nameForm.FindAllStringSubmatch(message, -1) {
		if name := m[0]; len(name) >= minName && isName(name) && name != testName(e.Test) {
			add(wordName, name)
		}
	}
	if e.File != "" && !path.IsAbs(e.File) && path.Ext(e.File) != "" {
		add(wordFile, e.File)
	}
	return list
}

const (
	minCode            = 4 // min bytes of a code
	minName            = 6 // min bytes of a name
	maxSearchedMessage = 1000
)

// codeForm matches texts that may be error codes: "E0308", "no-undef", "@typescript-eslint/no-shadow".
var codeForm = lazyregexp.New(`^-{0,2}@?[A-Za-z][A-Za-z0-9@._/:-]*$`)

// codeIn matches an error code in a message: "[E0417]", "error E0417:".
var codeIn = lazyregexp.New(`(?:[\[(]|^|(?:error|warning|code)[ :]+)([A-Z]{1,8}-?[0-9]{2,6})(?:[\])]|:|$)`)

// isTelling reports whether a code is specific enough to search for: "E0308" and "no-undef" are, "E12" and "syntax" are
// not.
func isTelling(code string) bool {
	return len(code) >= minCode && len(code) <= 80 && codeForm.MatchString(code) &&
		strings.ContainsAny(strings.TrimLeft(code, "-"), "0123456789-_/")
}

// nameForm matches texts that may be names: flags of commands, and identifiers, alone or joined by ".", "::" or "->".
var nameForm = lazyregexp.New(
	`(--[a-z][a-z0-9]*(-[a-z0-9]+)*|[A-Za-z_][A-Za-z0-9_]*((::|\.|->)[A-Za-z_][A-Za-z0-9_]*)*)`)

var (
	twoHumps = lazyregexp.New(`[a-z0-9][A-Z]`)
	joined   = lazyregexp.New(`[A-Za-z0-9](_|::|->|\.|-)[A-Za-z0-9]`)
	machine  = lazyregexp.New(`^[0-9a-f]{7,}$|[0-9]{5}|^_`)
)

// isName reports whether a word is a name from the project. A name from the project has several parts. Names from a
// language or its libraries do not count.
func isName(name string) bool {
	if machine.MatchString(name) || !twoHumps.MatchString(name) && !joined.MatchString(name) {
		return false
	}
	first, _, dotted := strings.Cut(name, ".")
	last := name[strings.LastIndexAny(name, ".:>")+1:]
	if dotted && (slices.Contains(fileEndings, last) || slices.Contains(libraries, first) || len(first) < 2) {
		return false
	}
	return !slices.Contains(commonNames, strings.ToLower(last)) && !ofLanguage.MatchString(last)
}

// ofLanguage matches names of exceptions and assertions from languages and test frameworks.
var ofLanguage = lazyregexp.New(`^(Assertion|Type|Value|Key|Index|Name|Attribute|Import|ModuleNotFound|Syntax|` +
	`Indentation|Runtime|NotImplemented|OS|IO|FileNotFound|Permission|ZeroDivision|Recursion|Reference|Range|Unicode\w*|` +
	`Connection\w*|Timeout|NullPointer|IllegalArgument|IllegalState|ClassNotFound|ClassCast|ArrayIndexOutOfBounds|` +
	`IndexOutOfBounds|NoSuchElement|NoSuchMethod|UnsupportedOperation|NumberFormat|Argument|StandardError|NoMethod|` +
	`AssertionFailed|StackOverflow|OutOfMemory|Argument\w*|NullReference|InvalidOperation)(Error|Exception)$|` +
	`^(assert|expect|should|to)([A-Z_]\w*)$`)

// fileEndings are extensions of file names, and endings of host names. A word such as main.go or example.com is not a
// name in a program.
var fileEndings = []string{"go", "py", "rs", "js", "jsx", "ts", "tsx", "mjs", "cjs", "java", "kt", "c", "h",
	"cc", "cpp",
	"hpp", "cs", "rb", "php", "md", "txt", "json", "yml", "yaml", "toml", "xml", "html", "css", "sh", "sql", "log", "com",
	"org", "net", "io", "dev", "example", "local", "lock", "cfg", "ini", "proto", "vue", "swift", "scala", "ex",
	"exs", "mod",
	"sum", "sock", "gradle", "properties", "env", "conf", "so", "dll", "exe", "jar", "zip", "gz", "tar", "png", "svg"}

// libraries are first parts of names that do not come from the project: names of libraries, and usual names of
// variables.
var libraries = []string{"java", "javax", "org", "com", "std", "core", "os", "sys", "self", "this", "cls", "node",
	"console", "process", "window", "document", "builtins", "unittest", "pytest", "jest", "kotlin", "System", "i", "e"}

// commonNames are names of products, and names that occur in many projects, in lower case.
var commonNames = []string{"javascript", "typescript", "github", "gitlab", "postgresql", "mysql",
	"sqlite", "macos", "ios",
	"openssl", "graphql", "nodejs", "youtube", "linkedin", "stackoverflow", "websocket", "readme", "tostring", "hashcode",
	"__init__", "__main__", "test_main", "testmain", "node_modules", "package_json", "user_id", "file_name", "filename",
	"getelementbyid", "queryselector", "innerhtml", "string", "println", "printf", "errorf", "fatalf", "sprintf",
	"snake_case", "camelcase", "pascalcase", "foo_bar", "foobar", "cocoapods"}

// testName returns the name of a test's function, without the file, the class, the parameters and the subtests. It
// returns "" if the test has a sentence as its name.
func testName(test string) string {
	name, _, _ := strings.Cut(test, "[")
	name = name[strings.LastIndex(name, "::")+1:]
	name, _, _ = strings.Cut(strings.TrimPrefix(name, ":"), "/")
	name = strings.TrimSuffix(name, "()")
	name = name[strings.LastIndexByte(name, '.')+1:]
	if at := nameForm.FindStringIndex(name); at == nil || at[0] > 0 || at[1] < len(name) {
		return "" // a sentence, not a name
	}
	return name
}

// in reports whether a document contains the word w, and not only as a part of a longer word. A file may have another
// name in the document (see namesIn). For documents about changes, in returns false.
func (w errorWord) in(document, text string) bool {
	if aboutVersions.MatchString(document) {
		return false
	}
	if w.kind != wordFile {
		return hasWord(text, w.text, w.kind == wordCode)
	}
	return slices.ContainsFunc(namesIn(document, w.text), func(name string) bool { return hasPath(text, name) })
}

// aboutVersions matches the names of documents about changes, such as changelogs and release notes.
var aboutVersions = lazyregexp.New(`(?i)(^|/)(change-?logs?|changes|history|news|release-?notes)\b`)

// namesIn returns the names under which a document may mention a file. One name is the path of the file, if the
// document is about the whole repository or in the same top directory as the file. Another name is the path relative to
// the directory of the document, if the file is below that directory. Names without a directory are left out, because
// many files have the same name.
func namesIn(document, file string) []string {
	dir := path.Dir(document)
	top, _, _ := strings.Cut(dir, "/")
	var names []string
	if dir == "." || strings.HasPrefix(file, top+"/") || slices.Contains(rootFolders, top) {
		names = append(names, file)
	}
	if within, below := strings.CutPrefix(file, dir+"/"); below {
		names = append(names, within)
	}
	return slices.DeleteFunc(names, func(name string) bool { return !strings.Contains(name, "/") })
}

// rootFolders are directories with documents about the whole repository.
var rootFolders = []string{"doc", "docs", "documentation", ".github"}

// hasWord reports whether a text contains a word that is not a part of a longer name or path. If isRule is true, there
// must be no dot before the word either. If isRule is false, a dot is allowed there: the word fetchUser is found in
// client.fetchUser.
func hasWord(text, word string, isRule bool) bool {
	return anyOccurrence(text, word, func(before, after string) bool {
		return !endsIn(before, "_-/$@%") && !beginsWith(after, "_-/") && (!isRule || !endsIn(before, ".")) &&
			!(strings.HasPrefix(after, ".") && beginsWith(after[1:], "") && slices.Contains(fileEndings, ending(after)))
	})
}

// hasPath reports whether a text contains a path that is not a part of a longer path. "./" and "../" may precede the
// path.
func hasPath(text, file string) bool {
	return anyOccurrence(text, file, func(before, after string) bool {
		for strings.HasSuffix(before, "./") {
			before = strings.TrimRight(strings.TrimSuffix(before, "./"), ".")
		}
		return !endsIn(before, "_-/.@~\\") && !beginsWith(after, "_-/") &&
			!(strings.HasPrefix(after, ".") && beginsWith(after[1:], ""))
	})
}

// anyOccurrence calls a function for the occurrences of a word in a text, until the function returns true. It reports
// whether this happened. The function gets the text before the occurrence and the text after it.
func anyOccurrence(text, word string, accepts func(before, after string) bool) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		if accepts(text[:at], text[at+len(word):]) {
			return true
		}
		from = at + 1
	}
}

func endsIn(text, signs string) bool { return text != "" && continues(text[len(text)-1], signs) }

func beginsWith(text, signs string) bool { return text != "" && continues(text[0], signs) }

// continues reports whether a byte can be a part of a word: a letter, a digit, or one of the given signs.
func continues(c byte, signs string) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte(signs, c) >= 0
}

// ending returns the file extension at the beginning of a text, without the dot. The text must begin with the dot.
func ending(text string) string {
	end := 1
	for end < len(text) && continues(text[end], "") {
		end++
	}
	return text[1:end]
}
