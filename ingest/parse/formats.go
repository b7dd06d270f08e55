package parse

// All is the list of formats, in the order in which a line is offered to
// them: what is particular comes before what is general.
var All = []Format{
	// CI systems
	travisFormat,

	// C, C++ and their builds

	// Go

	// Rust

	// Python

	// JavaScript and TypeScript

	// JVM
	surefireFormat,
	mavenFormat,
	pmdFormat,
	javacFormat,
	kotlinFormat,
	groovyFormat,
	ktlintFormat,
	androidLintFormat,
	gradleFormat,
	gradleTestFormat,
	junitFormat,
	antJUnitFormat,
	testNGFormat,
	antFormat,
	sbtFormat,
	clojureFormat,
	javaFormat,

	// Ruby, PHP, Perl, R, Lua, PowerShell, TeX

	// Erlang, Elixir, Haskell, Swift, .NET, OCaml

	// Shells, packages, containers

	// Reports of any tool
	junitXMLFormat,
	checkstyleXMLFormat,
	githubFormat,

	// Whatever is left
	genericFormat,
}
