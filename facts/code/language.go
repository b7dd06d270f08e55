package code

import (
	"path"
	"strings"
)

// Language is a programming language.
type Language string

// These are the supported languages.
const (
	Go         Language = "go"
	Python     Language = "python"
	JavaScript Language = "javascript"
	TypeScript Language = "typescript"
	Java       Language = "java"
	Kotlin     Language = "kotlin"
	Rust       Language = "rust"
	C          Language = "c"
	CPlus      Language = "c++"
	CSharp     Language = "c#"
	Ruby       Language = "ruby"
	PHP        Language = "php"
	Swift      Language = "swift"
	Scala      Language = "scala"
)

// scanner reads the files of a language.
type scanner struct {
	language Language
	scan     func(src string, scan *Scan)
}

// scannerOf returns the scanner for a file by the ending of the file's name. It reports false if the language is not
// supported.
func scannerOf(file string) (scanner, bool) {
	switch strings.ToLower(path.Ext(file)) {
	case ".go":
		return scanner{Go, scanGo}, true
	case ".py", ".pyi":
		return scanner{Python, scanPython}, true
	case ".js", ".jsx", ".mjs", ".cjs":
		return scanner{JavaScript, scanJSX}, true
	case ".ts", ".mts", ".cts":
		return scanner{TypeScript, scanJavaScript}, true
	case ".tsx":
		return scanner{TypeScript, scanJSX}, true
	case ".java":
		return scanner{Java, scanJava}, true
	case ".kt", ".kts":
		return scanner{Kotlin, scanKotlin}, true
	case ".rs":
		return scanner{Rust, scanRust}, true
	case ".c":
		return scanner{C, scanC}, true
	case ".h":
		return scanner{C, scanHeader}, true
	case ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".ipp", ".inl":
		return scanner{CPlus, scanCPlus}, true
	case ".cs":
		return scanner{CSharp, scanCSharp}, true
	case ".rb", ".rake", ".gemspec":
		return scanner{Ruby, scanRuby}, true
	case ".php":
		return scanner{PHP, scanPHP}, true
	case ".swift":
		return scanner{Swift, scanSwift}, true
	case ".scala", ".sc":
		return scanner{Scala, scanScala}, true
	}
	return scanner{}, false
}

// languageOf returns the language of a file, or "" if the language is not supported.
func languageOf(file string) Language {
	s, _ := scannerOf(file)
	return s.language
}

// ScanFile reads the symbols and imports of a file, and reports whether its language is supported.
func ScanFile(file string, content []byte) (Scan, bool) {
	s, ok := scannerOf(file)
	if !ok {
		return Scan{}, false
	}
	var scan Scan
	src := string(content)
	scan.Lines = strings.Count(src, "\n")
	if len(src) > 0 && src[len(src)-1] != '\n' {
		scan.Lines++
	}
	s.scan(src, &scan)
	return scan, true
}
