// Package formats has the formats of all tools that are recognised, one file a
// tool, with what a real one printed in testdata. It imports parse, whose
// pieces they are made of, and the types of store.
package formats

import (
	"strings"
	"sync"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// All returns the formats, in the order in which a line is offered to them: what is
// particular comes before what is general.
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

// made has the formats whose triggers a function makes. They are made when the list is.
var made struct{ bison, pylint, flake8, ruff, pmd, xctest, fortran, plainError, general parse.Format }

// inOrder has the places of all formats: code that makes the list would be large.
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
	&gitFormat, // CI systems run it before all else; its "error:" is also cargo's

	// C, C++ and their builds
	&gtestFormat, &catch2Format, &doctestCppFormat, &boostTestFormat, &cpputestFormat, &ctestFormat,
	&unityFormat, &qtTestFormat, &mesonFormat, &automakeFormat, &msvcFormat,
	&sanitizerFormat, &valgrindFormat, &debuggerFormat, &crashFormat, &lcovFormat,
	&ldFormat, &made.bison, &gccFormat, &cppcheckFormat,
	&makeFormat, &ninjaFormat, &cmakeFormat, &configureFormat,

	// Go
	&gotestJSONFormat, &ginkgoFormat, &gotestFormat, &goFormat, &golangciFormat,

	// Zig, and JavaScript's runtimes whose "error: " is also rustc's
	&zigFormat, &denoFormat, &bunFormat,

	// Rust
	&codespanFormat, &uvFormat,
	&rusttestFormat, &cargoFormat, &rustcFormat,

	// Python
	&pytestFormat,
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
	&sphinxFormat,
	&pythonFormat,

	// JavaScript and TypeScript
	&tscFormat,
	&vitestFormat,
	&jestFormat,
	&mochaFormat,
	&playwrightFormat,
	&karmaFormat,
	&protractorFormat,
	&jasmineFormat,
	&avaFormat,
	&nodeTestFormat,
	&tapFormat,
	&tslintFormat,
	&svelteFormat,
	&commitlintFormat,
	&biomeFormat, &cspellFormat, &knipFormat, &dprintFormat,
	&eslintFormat,
	&prettierFormat,
	&htmlhintFormat,
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
	&jekyllFormat,
	&rakeFormat,
	&cucumberFormat,
	&rubyFormat,
	&pestFormat,
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
	&pesterFormat,
	&powershellFormat,
	&vaderFormat,
	&vimFormat,
	&ertFormat,
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
	&dartFormat, &juliaFormat, &elmFormat,

	// Shells, packages, containers
	&dockerFormat,
	&kubernetesFormat,
	&terraformFormat, &pulumiFormat,
	&ansibleFormat,
	&aptFormat,
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
	&diffFormat, &yamlFormat,
	&junitXMLFormat,
	&testXMLFormat,
	&testJSONFormat,
	&testLinesFormat,
	&checkstyleXMLFormat,
	&goVetJSONFormat, &lintJSONFormat,
	&lintXMLFormat,

	// Whatever is left
	&genericFormat,
	&githubFormat, // what no tool's format knows of the lines that GitHub gave a level
	&made.general,
}

// list makes a list of formats. They are given by their places: code that copies each by itself would be large.
func list(formats ...*parse.Format) *parse.List {
	all := make([]parse.Format, len(formats))
	for i, f := range formats {
		all[i] = *f
	}
	return parse.NewList(all...)
}

// Select returns the formats to read a log with: all for "" and "auto", else
// the ones named, with commas between. Invalid: there is no such format.
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
