// Package formats has the formats of all known tools. Most files have one format. testdata holds output of each tool.
// If a tool could not be run, its output was written by hand, and the file says so. Package formats uses the building
// blocks of parse and the types of store.
package formats

import (
	"strings"
	"sync"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// All returns all formats in the order in which they read a line. Specific formats come before general ones.
var All = sync.OnceValue(func() *parse.List {
	made.bison = bisonFormat()
	made.pylint = pylintFormat()
	made.flake8 = flake8Format()
	made.ruff = ruffFormat()
	made.pmd = pmdFormat()
	made.xctest = xctestFormat()
	made.fortran = fortranFormat()
	made.plainError = plainErrorFormat()
	made.general = generalFormat()
	return list(inOrder[:]...)
})

// made holds the formats whose triggers are computed. A function builds each of them when the list is built.
var made struct{ bison, pylint, flake8, ruff, pmd, xctest, fortran, plainError, general parse.Format }

// inOrder has pointers to all formats in their order. It has pointers, because code that copies each format into the
// list would be large.
var inOrder = [...]*parse.Format{
	// CI systems
	&travisFormat,
	&gitlabFormat,
	&jenkinsFormat,
	&azureFormat,
	&circleciFormat,
	&buildkiteFormat,
	&appveyorFormat,
	&teamcityFormat,
	&ghFormat, &gitLFSFormat,
	&gitFormat, &packagesFormat, // CI systems run git first; cargo also prints "error:"

	// C, C++ and their builds
	&gtestFormat, &catch2Format, &doctestCppFormat, &boostTestFormat, &cpputestFormat, &cppunitFormat, &cxxtestFormat,
	&cunitFormat, &criterionFormat, &ctestFormat,
	&unityFormat, &qtTestFormat, &mesonFormat, &automakeFormat, &msvcFormat,
	&sanitizerFormat, &valgrindFormat, &debuggerFormat, &crashFormat, &lcovFormat,
	&ldFormat, &made.bison, &gccFormat, &cppcheckFormat,
	&justFormat,
	&makeFormat, &ninjaFormat, &cmakeFormat, &configureFormat,

	// Go
	&gotestJSONFormat, &ginkgoFormat, &goconveyFormat, &gotestFormat, &goFormat, &golangciFormat,

	// Zig, and JavaScript runtimes. rustc also prints their "error: ".
	&zigFormat, &denoFormat, &bunFormat,

	// Rust
	&codespanFormat, &uvFormat,
	&rusttestFormat, &cargoFormat, &rustcFormat,

	// Python
	&pytestFormat,
	&luaunitFormat, // unittest also prints " ... FAIL"
	&unittestFormat,
	&stestrFormat,
	&doctestFormat,
	&mypyFormat,
	&pyrightFormat,
	&made.pylint,
	&made.flake8,
	&made.ruff,
	&blackFormat,
	&isortFormat,
	&pydocstyleFormat,
	&banditFormat,
	&behaveFormat,
	&robotFormat,
	&precommitFormat,
	&pipFormat,
	&setuptoolsFormat,
	&toxFormat,
	&poetryFormat,
	&condaFormat,
	&sphinxFormat, &mkdocsFormat, &asciidoctorFormat,
	&pythonFormat,

	// JavaScript and TypeScript
	&tscFormat,
	&vitestFormat,
	&jestFormat,
	&mochaFormat,
	&playwrightFormat,
	&testcafeFormat,
	&nightwatchFormat,
	&karmaFormat,
	&protractorFormat,
	&jasmineFormat,
	&avaFormat, &nodeTapFormat, &japaFormat, &uvuFormat, &labFormat,
	&nodeTestFormat,
	&tapFormat,
	&tslintFormat,
	&svelteFormat, &astroFormat,
	&commitlintFormat,
	&biomeFormat, &cspellFormat, &knipFormat, &dprintFormat, &jsChecksFormat, &jsPackagesFormat, &newmanFormat,
	&eslintFormat, &jshintFormat,
	&prettierFormat,
	&htmlhintFormat, &tidyFormat, &htmlProoferFormat,
	&markdownlintFormat,
	&lycheeFormat,
	&linkinatorFormat,
	&flowFormat,
	&mietteFormat,
	&coffeeFormat,
	&sassFormat,
	&babelFormat,
	&webpackFormat,
	&nextFormat,
	&viteFormat,
	&esbuildFormat,
	&parcelFormat,
	&gulpFormat,
	&nodeFormat,
	&turboFormat, &npmFormat,

	// JVM
	&surefireFormat,
	&mavenFormat,
	&made.pmd,
	&ecjFormat,
	&javacFormat,
	&kotlinFormat,
	&groovyFormat,
	&ktlintFormat,
	&androidLintFormat,
	&gradleFormat,
	&gradleTestFormat,
	&junitFormat,
	&antJUnitFormat,
	&testNGFormat,
	&antFormat,
	&sbtFormat,
	&clojureFormat,
	&javaFormat,

	// Ruby, PHP, Perl, R, Lua, PowerShell, TeX
	&rspecFormat,
	&minitestFormat,
	&testunitFormat,
	&rubyLintFormat, &rubocopFormat,
	&bundlerFormat,
	&jekyllFormat, &hugoFormat,
	&rakeFormat,
	&cucumberFormat,
	&rubyFormat,
	&pestFormat,
	&codeceptionFormat, &phpspecFormat, &behatFormat,
	&phpunitFormat,
	&phptFormat,
	&phpcsFormat,
	&phpstanFormat,
	&psalmFormat,
	&phpcsfixerFormat,
	&composerFormat,
	&phpFormat,
	&proveFormat,
	&perlFormat,
	&testthatFormat,
	&rFormat,
	&luaFormat,
	&bustedFormat,
	&luacheckFormat,
	&tclFormat,
	&sbclFormat,
	&pesterFormat,
	&powershellFormat,
	&vaderFormat,
	&vimFormat,
	&buttercupFormat, &ertFormat,
	&emacsFormat,
	&batsFormat,
	&shunit2Format,
	&latexFormat,

	// Erlang, Elixir, Haskell, Swift, .NET, OCaml
	&exunitFormat, &elixirFormat,
	&eunitFormat, &erlangFormat,
	&hspecFormat, &cabalFormat, &ghcFormat,
	&alcotestFormat, &ocamlFormat,
	&dotnetTestFormat, &msbuildFormat, &dotnetFormat,
	&made.xctest, &swiftFormat, &cocoapodsFormat,
	&made.fortran, &made.plainError, &verilatorFormat, &bazelFormat, &sconsFormat, &nixFormat,
	&dartFormat, &juliaFormat, &elmFormat, &haxeFormat,
	&agdaFormat, &smlFormat, &prologFormat, &racketFormat, &guileFormat, &fiveamFormat, &octaveFormat,
	&runtimeFormat,

	// Shells, packages, containers
	&dockerFormat,
	&serverFormat,
	&helmFormat,
	&kubernetesFormat,
	&terraformFormat, &pulumiFormat,
	&ansibleFormat,
	&debianFormat, &aptFormat,
	&downloadFormat,
	&shellFormat,
	&unixFormat,

	// Reports of any tool
	&sarifFormat,
	&shellcheckFormat,
	&shellcheckJSONFormat,
	&hadolintFormat,
	&yamllintFormat,
	&ansibleLintFormat,
	&puppetLintFormat,
	&remarkFormat,
	&lineLintFormat,
	&sqlfluffFormat,
	&scalastyleFormat,
	&checkovFormat, &semgrepFormat, &trivyFormat,
	&awesomebotFormat,
	&patchFormat, &diffFormat, &yamlFormat,
	&junitXMLFormat,
	&testXMLFormat,
	&testJSONFormat,
	&testLinesFormat,
	&testTreeFormat,
	&checkstyleXMLFormat,
	&goVetJSONFormat, &lintJSONFormat,
	&lintXMLFormat,

	// Everything else
	&genericFormat,
	&githubFormat, // lines with a level from GitHub that no other format knows
	&made.general,
}

// list returns the list of formats. It takes pointers, because code that copies each format would be large.
func list(formats ...*parse.Format) *parse.List {
	all := make([]parse.Format, len(formats))
	for i, f := range formats {
		all[i] = *f
	}
	return parse.NewList(all...)
}

// Select returns the formats that the comma-separated list names. For "" and "auto" it returns all formats. The error
// is Invalid if a format does not exist.
func Select(names string) (*parse.List, error) {
	if names == "" || names == "auto" {
		return All(), nil
	}
	var named []parse.Format
	for name := range strings.SplitSeq(names, ",") {
		f, ok := find(strings.TrimSpace(name))
		if !ok {
			return nil, store.Next(store.Errorf(store.Invalid, "no format %q", name), store.NewCall("formats", ""))
		}
		named = append(named, f)
	}
	return parse.NewList(named...), nil
}

func find(name string) (parse.Format, bool) {
	for _, f := range All().Formats() {
		if f.Name == name {
			return f, true
		}
	}
	return parse.Format{}, false
}
