package step

import "strings"

// This file describes programs that start other commands. Some of them take a whole command line as one argument, such
// as su -c 'make test'.

// scriptOf returns the command line that a program starts, such as make test for su -c 'make test'.
// The result at is the position of the word with the command line. It is 0 if the command line has
// several words, or is only a part of a word.
func scriptOf(words []string) (text string, at int) {
	program, args := programOf(words[0]), words[1:]
	switch program {
	case "su", "runuser":
		return valueOfFlag(args, "-c --command --session-command")
	case "script":
		if text, at = valueOfFlag(args, "-c --command"); text != "" {
			return text, at
		}
		rest, _ := inner(words, "-t -T -m", 1, ".") // the BSD form: script FILE COMMAND
		return strings.Join(rest, " "), 0
	case "nix-shell":
		return valueOfFlag(args, "--run --command")
	case "flock", "npx", "pnpx", "bunx":
		return valueOfFlag(args, "-c --command --call")
	case "nodemon":
		return valueOfFlag(args, "-x --exec")
	case "npm":
		if verb, _ := verbOf(program, args); oneOf(verb, "exec x") {
			return valueOfFlag(args, "-c --call")
		}
	case "doppler", "infisical":
		if verb, _ := verbOf(program, args); verb == "run" {
			return valueOfFlag(args, "--command")
		}
	case "eval":
		if text = strings.Join(args, " "); strings.HasPrefix(text, "$") || strings.HasPrefix(text, "`") {
			return "", 0 // eval "$(ssh-agent)"
		}
		return text, 0
	case "watch":
		rest, _ := inner(words, "-n --interval", 0, ".")
		return strings.Join(rest, " "), 0
	case "parallel":
		return textOfParallel(words), 0
	case "sops":
		if len(args) > 2 && oneOf(args[0], "exec-env exec-file") {
			return args[len(args)-1], len(args)
		}
	}
	return "", 0
}

// valueOfFlag returns the value of one of the flags, and the position of the value in the whole command, where the
// program has the position 0. The position is 0 if the value is only a part of a word. In a word with several short
// flags, the value belongs to the last flag.
func valueOfFlag(args []string, flags string) (value string, at int) {
	for i, a := range args {
		name, attached, is := strings.Cut(a, "=")
		if is && oneOf(name, flags) {
			return attached, 0
		}
		if isShort(a) {
			name = "-" + a[len(a)-1:]
		}
		switch {
		case a == "--":
			return "", 0
		case oneOf(name, flags) && i+1 < len(args) && (a == name || isLetters(a[1:])):
			return args[i+1], i + 2
		}
	}
	return "", 0
}

func isLetters(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// textOfParallel returns the command line that GNU parallel starts, without the parts that parallel fills in. If
// parallel has no command, each argument after ::: is a command line. Then the result is their common first words.
func textOfParallel(words []string) string {
	rest, _ := inner(words, "-j -I -n -N -a --jobs --arg-file --joblog --retries --timeout --delay --halt --memfree "+
		"--load --colsep --results --max-args", 0, ".")
	var command []string
	for i, w := range rest {
		if strings.HasPrefix(w, ":::") {
			if len(command) == 0 && w == ":::" && i+1 < len(rest) {
				return inCommon(rest[i+1:])
			}
			break
		}
		if w != "{}" {
			command = append(command, w)
		}
	}
	text := strings.Join(command, " ")
	return strings.ReplaceAll(text, "cd {} && ", "")
}

// inCommon returns the common first words of command lines.
func inCommon(lines []string) string {
	words := strings.Fields(lines[0])
	for _, line := range lines[1:] {
		other := strings.Fields(line)
		n := 0
		for n < len(words) && n < len(other) && words[n] == other[n] {
			n++
		}
		words = words[:n]
	}
	return strings.Join(words, " ")
}

// isTask reports whether a runner's argument looks like the name of a task of the project, such as test or lint:all,
// and not like a program.
func isTask(word string) bool {
	first, _, _ := strings.Cut(strings.NewReplacer(":", "-", "_", "-").Replace(word), "-")
	return strings.Contains(word, ":") || oneOf(first, "test tests lint check checks build docs doc format fmt types "+
		"typecheck typing cov coverage ci dev start serve e2e unit integration all bench clean release deploy style verify")
}

// hasTasks reports whether a runner can run tasks of the project as well as programs.
func hasTasks(program string) bool { return oneOf(program, "pixi hatch pdm pipenv rye devbox rtk") }
