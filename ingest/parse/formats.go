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
	tscFormat,
	vitestFormat,
	jestFormat,
	mochaFormat,
	playwrightFormat,
	karmaFormat,
	jasmineFormat,
	avaFormat,
	nodeTestFormat,
	tapFormat,
	tslintFormat,
	svelteFormat,
	commitlintFormat,
	eslintFormat,
	prettierFormat,
	htmlhintFormat,
	markdownlintFormat,
	linkcheckFormat,
	coffeeFormat,
	sassFormat,
	babelFormat,
	webpackFormat,
	nextFormat,
	viteFormat,
	esbuildFormat,
	parcelFormat,
	gulpFormat,
	nodeFormat,
	npmFormat,

	// JVM

	// Ruby, PHP, Perl, R, Lua, PowerShell, TeX

	// Erlang, Elixir, Haskell, Swift, .NET, OCaml

	// Shells, packages, containers

	// Reports of any tool
	githubFormat,

	// Whatever is left
	genericFormat,
}
