package parse

// All is the list of formats, in the order in which a line is offered to
// them: what is particular comes before what is general.
var All = []Format{
	// CI systems
	travisFormat,
	gitlabFormat,
	jenkinsFormat,
	azureFormat,
	circleciFormat,
	buildkiteFormat,
	appveyorFormat,
	teamcityFormat,
	gitFormat, // CI systems run it before all else; its "error:" is also cargo's

	// C, C++ and their builds
	gtestFormat, catch2Format, doctestCppFormat, boostTestFormat, cpputestFormat, ctestFormat,
	unityFormat, qtTestFormat, mesonFormat, automakeFormat, msvcFormat,
	sanitizerFormat, valgrindFormat, crashFormat,
	ldFormat, gccFormat, cppcheckFormat,
	makeFormat, ninjaFormat, cmakeFormat, configureFormat,

	// Go
	gotestJSONFormat, ginkgoFormat, gotestFormat, goFormat, golangciFormat,

	// Rust
	rusttestFormat, cargoFormat, rustcFormat,

	// Python
	pytestFormat,
	unittestFormat,
	stestrFormat,
	doctestFormat,
	mypyFormat,
	pyrightFormat,
	pylintFormat,
	flake8Format,
	ruffFormat,
	blackFormat,
	isortFormat,
	pydocstyleFormat,
	banditFormat,
	behaveFormat,
	robotFormat,
	precommitFormat,
	pipFormat,
	setuptoolsFormat,
	toxFormat,
	poetryFormat,
	condaFormat,
	sphinxFormat,
	pythonFormat,

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
	linkinatorFormat,
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
	surefireFormat,
	mavenFormat,
	pmdFormat,
	ecjFormat,
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
	dockerFormat,
	kubernetesFormat,
	terraformFormat,
	ansibleFormat,
	aptFormat,
	downloadFormat,
	shellFormat,
	unixFormat,

	// Reports of any tool
	sarifFormat,
	shellcheckFormat,
	shellcheckJSONFormat,
	hadolintFormat,
	yamllintFormat,
	ansibleLintFormat,
	remarkFormat,
	lineLintFormat,
	sqlfluffFormat,
	scalastyleFormat,
	checkovFormat,
	awesomebotFormat,
	yamlFormat,
	junitXMLFormat,
	testXMLFormat,
	testJSONFormat,
	checkstyleXMLFormat,
	lintJSONFormat,
	lintXMLFormat,

	// Whatever is left
	genericFormat,
	githubFormat, // what no tool's format knows of the lines that GitHub gave a level
	generalFormat,
}
