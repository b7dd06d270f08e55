package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// bundlerFormat reads Bundler and RubyGems: gems that cannot be found, resolved, fetched or built, and Gemfiles that
// cannot be read.
var bundlerFormat = parse.Format{
	Name:  "bundler",
	About: "Bundler and RubyGems",
	Triggers: []string{
		"[!] There was an error ", "Could not find gem '", "in any of the sources", "Could not locate Gemfile",
		"Your Ruby version is ", "Your bundle is locked to ",
		"Could not fetch specs from ", "An error occurred while installing ",
		"Bundler could not find compatible versions for gem ", "Gem::Ext::BuildError", "Gem::Installer::ExtensionBuildError",
		"bundler: command not found", "bundler: failed to load command", "The gemspec at ", "Could not reach host ",
		"Could not verify the SSL certificate", "You must use Bundler ", "Gemfile.lock",
		"Gem::RemoteFetcher::FetchError", "Gem::RuntimeRequirementNotMetError", "Gem::GemNotFoundException",
		"Bundler::GemNotFound", "Could not find compatible versions", "requires rubygems version", "requires Ruby version",
		"Failed to build gem native extension",
	},
	Starts: []string{"ERROR:  ", "Could not find ", "Git error: command `", "The path `"},
	Match:  matchBundler,
}

func matchBundler(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	message, weight := text, parse.Certain
	switch rest, isError := strings.CutPrefix(text, "ERROR:  "); {
	case strings.HasSuffix(text, "ERROR: Failed to build gem native extension."):
		gemExtension(s, "")
		return true
	case isError && !strings.HasPrefix(rest, " "): // SWI-Prolog writes more blanks
		gemError(s, rest)
		return true
	case strings.HasPrefix(text, "[!] There was an error "):
		bundlerFile(s, text)
		return true
	case strings.HasPrefix(text, "An error occurred while installing "):
		weight = parse.Repeat
	case strings.HasPrefix(text, "Git error: command `"): // git's own words are above
		weight = parse.Repeat
	case strings.HasPrefix(text, "The path `") && strings.HasSuffix(text, "` does not exist."):
	case strings.HasPrefix(text, "bundler: failed to load command"): // the exception follows
		weight = parse.Repeat
	case hasAnyPrefix(text, "Could not find gem '", "Could not locate Gemfile", "Your Ruby version is ",
		"Your bundle is locked to ", "Could not fetch specs from ",
		"Bundler could not find compatible versions for gem ", "bundler: command not found",
		"Could not reach host ", "Could not verify the SSL certificate",
		"You must use Bundler ", "Gem::RemoteFetcher::FetchError: ", "Gem::RuntimeRequirementNotMetError: ",
		"Gem::GemNotFoundException: ", "Bundler::GemNotFound: ", "Could not find compatible versions"):
	case strings.HasPrefix(text, "The gemspec at ") && strings.Contains(text, " is not valid"):
	case strings.HasPrefix(text, "Could not find ") && strings.Contains(text, " in any of the sources"):
	case strings.Contains(text, " your Gemfile.lock") &&
		strings.HasPrefix(text, "You are trying to install in deployment mode"):
	case strings.Contains(text, " requires rubygems version ") || strings.Contains(text, " requires Ruby version "):
	default:
		return false
	}
	d := s.Add(parse.Draft{Weight: weight, Event: store.Event{Message: message, Category: store.CategoryBuild}})
	bundlerMore(s, d)
	return true
}

// bundlerMore adds the rest of a paragraph, because Bundler wraps its lines.
func bundlerMore(s *parse.Scan, d *parse.Draft) {
	lines := 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		if lines++; text == "" || lines > 8 || hasAnyPrefix(text, "Gem::", "make", "Run `", "The command ") ||
			strings.Contains(text, "rror:") || strings.Contains(text, ":in ") {
			return parse.Done
		}
		if strings.HasSuffix(d.Message, ":") || d.Weight == parse.Certain && lines < 4 && !strings.HasSuffix(d.Message, ".") {
			d.Message += " " + text
		}
		d.Extend(l)
		return parse.Take
	})
}

// gemExtension reads a gem whose native extension cannot be built. Other formats read the compiler's errors. If
// extconf.rb failed, the line above "*** extconf.rb failed ***" is the reason.
func gemExtension(s *parse.Scan, tool string) {
	const message = "Failed to build gem native extension"
	d := s.Add(parse.Draft{Weight: parse.Likely,
		Event: store.Event{Tool: tool, Message: message, Category: store.CategoryBuild}})
	reason, lines := "", 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		switch {
		case text == "*** extconf.rb failed ***":
			if reason != "" {
				d.Message = message + ": " + reason
			}
			d.Extend(l)
			return parse.Last
		case lines > 100, hasAnyPrefix(text, "extconf failed, ", "make failed, ", "Gem files will remain installed"):
			return parse.Done
		case strings.Trim(text, "-") != "" && !strings.HasSuffix(text, "extconf.rb"):
			reason = text
		}
		return parse.Pass
	})
}

// gemError reads an error of gem, such as "ERROR:  While executing gem ... (Class)", and the message below.
func gemError(s *parse.Scan, message string) {
	if strings.HasPrefix(message, "Error installing ") {
		gemInstall(s, message)
		return
	}
	d := s.Add(parse.Draft{Event: store.Event{Tool: "gem", Message: message, Category: store.CategoryBuild}})
	below := parse.Below{Indent: 2}
	if strings.HasSuffix(message, ":") || strings.HasPrefix(message, "While executing gem") {
		below.Join, below.Parts = " ", 1
	}
	s.Block(below.Block(d))
}

// gemInstall reads "ERROR:  Error installing GEM:". The reason is on the next line.
func gemInstall(s *parse.Scan, message string) {
	d := s.Add(parse.Draft{Event: store.Event{Tool: "gem", Message: message, Category: store.CategoryBuild}})
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		switch {
		case text == "" || l.Indent() == 0:
			return parse.Done
		case strings.Contains(text, "Failed to build gem native extension"):
			d.Weight = parse.Repeat
			gemExtension(s, "gem")
		default:
			d.Message += " " + text
		}
		d.Extend(l)
		return parse.Last
	})
}

// bundlerFile reads "[!] There was an error parsing `Gemfile`: …", and the
// place below it: " #  from Gemfile:2".
func bundlerFile(s *parse.Scan, text string) {
	d := s.Add(parse.Draft{Event: store.Event{Message: strings.TrimPrefix(text, "[!] "), Category: store.CategoryBuild}})
	lines, rules := 0, 0
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		lines++
		switch rest, from := strings.CutPrefix(text, "#  from "); {
		case from:
			p, _, _ := rubyPlace(rest)
			d.At(p.File, p.Line, 0)
		case strings.HasPrefix(text, "#  ---"):
			rules++
		case lines > 15, rules == 2, text != "" && text[0] != '#' && text[0] != '>' && rules > 0:
			return parse.Done
		}
		d.Extend(l)
		return parse.Take
	})
}
