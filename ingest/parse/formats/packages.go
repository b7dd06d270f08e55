package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// packagesFormat reads the package managers of Linux systems other than Debian, and rpmbuild.
var packagesFormat = parse.Format{
	Name:  "packages",
	About: "rpm, rpmbuild, dnf, yum, zypper, pacman, apk: packages that cannot be found, built or installed",
	Triggers: []string{"is needed by ", "Valid metadata not found", "RPM build errors:",
		" field must be present in package", ": package mentioned in index not found"},
	Starts: []string{"error: Bad exit status from ", "error: Failed build dep", "error: Failed dep",
		"error: Installed (but unpackaged)", "error: line ", "error: File not found: ", "error: Directory not found: ",
		"error: File must begin with", "error: File /", "error: failed to stat ", "error: open of ",
		"error: target not found: ", "error: failed to ", "error: failed retrieving file ",
		"Error: Unable to find a match: ", "Error: Unable to detect release", "Error: Failed to download metadata",
		"Error: Error downloading packages:", "Error: Transaction ", "Error: GPG check FAILED", "Error: Nothing to do",
		"Errors during downloading metadata", "No match for argument: ", "No package ", "Module or Group '",
		" Problem", "Problem: ", "No provider of '", "Package '", "Repository '",
		"ERROR: unable to select packages:", "ERROR: unsatisfiable constraints:", "ERROR: Unable to lock database: ",
		"ERROR: Failed to open apk database"},
	Lines: parse.Lines{
		{Text: "^error: «Bad exit status from {_} (%{*})»", Tool: "rpm", Category: store.CategoryBuild,
			Weight: parse.Repeat},
		{Text: "^error: «{:Failed build dependencies|Failed dependencies|Installed (but unpackaged) file(s) found}:»",
			Tool: "rpm", Category: store.CategoryBuild, Below: packageRows},
		{Text: "^error: «line {#}: {:Unknown tag|Illegal |Unclosed %|unclosed macro|Invalid |Empty tag|Tag takes |%}{*}»",
			Tool: "rpm", Category: store.CategoryBuild},
		{Text: "^error: «{:File not found: |Directory not found: |File must begin with }{*}»", Tool: "rpm",
			Category: store.CategoryBuild},
		{Text: "^error: «{:File /|failed to stat |open of }{*}: No such file or directory»", Tool: "rpm",
			Category: store.CategoryBuild},
		{Text: "^error: «{_} field must be present in package: {*}»", Tool: "rpm", Category: store.CategoryBuild},

		{Text: "^Error: «{:Unable to find a match: |Unable to detect release version|Failed to download metadata for " +
			"repo |GPG check FAILED}{*}»", Tool: "dnf", Category: store.CategoryBuild},
		{Text: "^Error: «{:Error downloading packages|Transaction test error|Transaction check error}:»", Tool: "dnf",
			Category: store.CategoryBuild, Below: packageRows},
		{Text: "^Error: «Nothing to do{*}»", Tool: "dnf", Category: store.CategoryBuild, Weight: parse.Repeat},
		{Text: "^«Errors during downloading metadata for repository {*}»", Tool: "dnf", Category: store.CategoryBuild,
			Weight: parse.Likely, Below: packageRows},
		{Text: "^«{:No match for argument: }{*}»", Tool: "dnf", Category: store.CategoryBuild, Weight: parse.Likely},
		{Text: "^«{:No package }{_} available.»", Tool: "yum", Category: store.CategoryBuild, Weight: parse.Likely},
		{Text: "^«Module or Group '{_}' is not available.»", Tool: "dnf", Category: store.CategoryBuild,
			Weight: parse.Likely},
		{Text: "Problem{? {#}}: {message}", Tool: "dnf", Category: store.CategoryBuild, If: isPackageProblem,
			Below: packageReasons},

		{Text: "^«{:No provider of }'{_}' found.»", Tool: "zypper", Category: store.CategoryBuild},
		{Text: "^«Package '{_}' not found.»", Tool: "zypper", Category: store.CategoryBuild},
		{Text: "^[{_}|{_}] «Valid metadata not found {*}»", Tool: "zypper", Category: store.CategoryBuild},
		{Text: "^«Repository '{_}' is invalid.»", Tool: "zypper", Category: store.CategoryBuild, Weight: parse.Repeat},

		{Text: "^error: «target not found: {*}»", Tool: "pacman", Category: store.CategoryBuild},
		{Text: "^error: «failed retrieving file {*}»", Tool: "pacman", Category: store.CategoryBuild,
			Weight: parse.Likely},
		{Text: "^error: «failed to {:prepare transaction|commit transaction|synchronize all databases|init transaction}" +
			"{*}»", Tool: "pacman", Category: store.CategoryBuild, Weight: parse.Likely,
			Below: parse.Below{Starts: []string{":: "}, Join: " ", Parts: parse.MaxMessageLines}.Pattern},

		{Text: "^ERROR: «{:unable to select packages|unsatisfiable constraints}:»", Tool: "apk",
			Category: store.CategoryBuild, Below: packageRows},
		{Text: "^ERROR: «{_}: package mentioned in index not found{*}»", Tool: "apk", Category: store.CategoryBuild},
		{Text: "^ERROR: «{:Unable to lock database: |Failed to open apk database}{*}»", Tool: "apk",
			Category: store.CategoryBuild},
	},
	Match: matchPackages,
}

// packageRows reads the list below a finding: packages, files or reasons.
func packageRows(d *parse.Draft, _ parse.Line) func(parse.Line) parse.Verdict {
	return parse.Below{Indent: 1, Join: " ", Parts: parse.MaxMessageLines}.Block(d)
}

// packageReasons reads the reasons below a problem. If it finds solutions, the tool is zypper, because only zypper
// prints solutions.
func packageReasons(d *parse.Draft, _ parse.Line) func(parse.Line) parse.Verdict {
	return parse.Below{Indent: 1, Is: func(text string) bool {
		if strings.HasPrefix(text, " Solution ") {
			d.Tool = "zypper"
		}
		return strings.HasPrefix(strings.TrimSpace(text), "- ")
	}, Join: " ", Parts: parse.MaxMessageLines}.Block(d)
}

// isPackageProblem reports whether a problem is one of libsolv, which resolves dependencies for dnf and zypper.
func isPackageProblem(d *parse.Draft) bool {
	for _, w := range [...]string{"conflicting requests", "nothing provides ", "cannot install ", "to be installed ",
		"problem with installed ", "package ", "the installed ", "the to be installed ", "The operation would result in "} {
		if strings.HasPrefix(d.Message, w) {
			return true
		}
	}
	return strings.Contains(d.Message, " requires ")
}

// matchPackages skips rpmbuild's list of errors. rpmbuild has already printed each of these errors before the list.
func matchPackages(s *parse.Scan, l parse.Line) bool {
	if l.Text != "RPM build errors:" {
		return false
	}
	s.Block(func(l parse.Line) parse.Verdict {
		if l.Indent() < 3 {
			return parse.Done
		}
		return parse.Take
	})
	return true
}
