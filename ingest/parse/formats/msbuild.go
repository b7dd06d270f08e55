package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// msbuildFormat reads MSBuild and the tools that it runs: the compilers of C#, F# and Visual Basic, analyzers, NuGet
// and the SDK. It also reads Mono's compiler without MSBuild.
var msbuildFormat = parse.Format{
	Name:  "msbuild",
	About: ".NET builds: C#, F#, Visual Basic, analyzers, NuGet, MSBuild, mcs, dotnet format, Cake",
	Triggers: []string{
		"proj]", "proj::TargetFramework=", ".sln]", "error CS", "error FS", "error BC", "error MSB", "error NU",
		"error NETSDK", "warning CS", "warning FS", "warning BC", "warning MSB", "warning NU", "error WHITESPACE: ",
		"error TESTERROR: ", ": error : ", "-- FAILED",
	},
	Starts: []string{"Build FAILED.", "An error occurred when executing task "},
	Lines: parse.Lines{
		{Text: "Build FAILED.", Message: "Build FAILED.", Category: store.CategoryBuild, Weight: parse.Repeat},
		{Text: "«{:Task \"|Done building }{_}-- FAILED»", Category: store.CategoryBuild, Weight: parse.Repeat}, // xbuild
		{Text: "«An error occurred when executing task {_}»", Category: store.CategoryBuild, Weight: parse.Repeat},
		{Text: "{?{#}>{ }}{place}: error TESTERROR{? }: {test}: {message}", Category: store.CategoryTest,
			Then: nameDotnetTest},
		{Text: "{?{#}>{ }}{place}: " + msbuildFinding, Then: gradeMSBuild, Once: true},
		{Text: "{?{#}>{ }}{path}: {? }" + msbuildFinding, Then: gradeMSBuildOrigin, Once: true},
		{Text: "{?{#}>{ }}{severity:error|warning} {code}: {message}", Then: gradeMSBuild, Once: true},
	},
}

const msbuildFinding = "{severity:error|warning} {?{code}{? }}: {message}"

// gradeMSBuild sets the weight, the key, the tool and the category of a finding. It removes the project from the end of
// the message.
func gradeMSBuild(d *parse.Draft) {
	d.Message = cutProject(d.Message)
	switch d.Code {
	case "MSB3073", "MSB4181":
		d.Weight = parse.Repeat // the command or task that failed has printed the reason
	case "MSB6006":
		if d.Severity == store.SeverityError {
			d.Weight = parse.Repeat
		}
	}
	// MSBuild prints a finding again in the summary, and for each target framework. The copies have the same key.
	d.Key = d.File + "\x00" + positionKey(parse.Place{Line: d.Line, Column: d.Column}) + d.Code + d.Message
	d.Tool, d.Category = msbuildTool(d.Code), msbuildCategory(d.Code)
}

// nameDotnetTest reads "Suite.Test (12ms): Error Message: what", which MSBuild prints for a failed test.
func nameDotnetTest(d *parse.Draft) {
	if i := strings.LastIndex(d.Test, " ("); i > 0 {
		d.Test = d.Test[:i]
	}
	d.Tool, d.Code, d.Key = dotnetTestName, "", d.Test
	d.Message = cutProject(strings.TrimPrefix(d.Message, "Error Message: "))
}

// gradeMSBuildOrigin reads findings without a line number. They name a file ("/x/a.csproj : error …") or a program
// ("CSC : error …", "MSBUILD : error …").
func gradeMSBuildOrigin(d *parse.Draft) {
	if !parse.IsFileName(d.File) {
		d.File = ""
	}
	gradeMSBuild(d)
}

// cutProject removes the project or solution and its target framework from the end of a message:
// "[/x/a.csproj::TargetFramework=net8.0]" and the space before it.
func cutProject(message string) string {
	i := strings.LastIndex(message, " [")
	if i <= 0 || !strings.HasSuffix(message, "]") {
		return message
	}
	project, _, _ := strings.Cut(message[i+2:len(message)-1], "::")
	if hasAnySuffix(project, "proj", ".sln", ".slnx", ".slnf") {
		return message[:i]
	}
	return message
}

func msbuildTool(code string) string {
	switch letters := strings.TrimRight(code, "0123456789"); letters {
	case "CS":
		return "csc"
	case "FS":
		return "fsc"
	case "BC":
		return "vbc"
	case "NU":
		return "nuget"
	case "WHITESPACE", "IMPORTS", "FINALNEWLINE", "CHARSET":
		return "dotnet-format"
	}
	return "msbuild"
}

func msbuildCategory(code string) store.Category {
	switch strings.TrimRight(code, "0123456789") {
	case "CS", "FS", "BC", "RZ", "XLS", "AVLN":
		return store.CategoryCompile
	case "MSB", "NU", "NETSDK", "":
		return store.CategoryBuild
	}
	return store.CategoryLint
}
