package step

import "strings"

// flags returns the flags of a program that do not affect the result of a check. Such flags change how much is printed,
// how fast the program runs, or where it writes a report. Short flags must be separate: -v, not -vk. If a flag in the
// list ends with =, its value is in the same word or in the next word.
func flags(program, verb string) string {
	switch program {
	case "make", "gmake":
		return "-j -s --silent --quiet -w --no-print-directory --print-directory --trace -O -Oline -Otarget " +
			"--output-sync --output-sync= --jobs --jobs="
	case "ninja":
		return "-j= -v --verbose --quiet"
	case "cmake":
		return "-j --parallel --parallel= -v --verbose"
	case "ctest":
		return "-j= --parallel= -V -VV --verbose --output-on-failure --progress --quiet -Q --output-junit= " +
			"--no-compress-output"
	case "pytest", "py.test":
		return "-v -vv -vvv -q -qq --verbose --quiet --color= --tb= --durations= -ra -rA -rf -rs -rx -n= " +
			"--numprocesses= --no-header --no-summary --show-capture= --junitxml= --junit-xml= -l --showlocals"
	case "go":
		switch verb {
		case "test", "vet", "build":
			list := "-v -x -p= -count=1"
			if verb == "test" {
				list += " -json -parallel="
			}
			return list // go vet -json always exits with 0
		}
	case "cargo":
		return "-v -vv -q --verbose --quiet --color= --message-format= -j= --jobs= --timings"
	case "mvn", "mvnw", "mvnd":
		return "-B --batch-mode -q --quiet -e --errors -ntp --no-transfer-progress -V --show-version -T= --threads= --color="
	case "gradle", "gradlew":
		return "-q --quiet -i --info -s --stacktrace --full-stacktrace --console= --no-daemon --daemon --parallel " +
			"--no-parallel --max-workers= --warning-mode= --scan"
	case "npm": // other npm subcommands pass flags to the script
		return "-s --silent --loglevel= --color --no-color"
	case "jest":
		return "--verbose --silent --color --colors --no-color --maxWorkers= -w= -i --runInBand"
	case "tsc":
		return "--pretty --pretty="
	case "eslint":
		return "--color --no-color -f= --format= -o= --output-file="
	case "mypy":
		return "--pretty --no-pretty --color-output --no-color-output --show-column-numbers --show-error-codes -v --verbose"
	case "ruff":
		return "-v --verbose -q --quiet --output-format="
	case "dotnet":
		switch verb {
		case "test", "build":
			return "--nologo -v= --verbosity= --logger="
		}
	case "docker", "podman":
		if verb == "build" {
			return "--progress="
		}
	case "rspec":
		return "-f= --format= --color --no-color"
	case "set":
		return "-x -v"
	}
	return ""
}

// ignored returns the positions of a command's words that do not affect the check.
func ignored(words []string) map[int]bool {
	if len(words) == 0 {
		return nil
	}
	program := programOf(words[0])
	if rest := runnerOf(program, words[1:]); len(rest) > 0 { // npx jest
		return shifted(ignored(rest), len(words)-len(rest))
	}
	verb, at := "", 1
	switch {
	case isPython(program) && len(words) > 2 && words[1] == "-m": // python -m pytest
		program, at = words[2], 3
	case oneOf(program, "go cargo dotnet docker podman"):
		if len(words) > 1 {
			verb, at = words[1], 2
		}
	}
	list := strings.Fields(flags(program, verb))
	if list == nil {
		return nil
	}
	gone := map[int]bool{}
	for i := at; i < len(words) && words[i] != "--" && words[i] != "-args"; i++ {
		n := matching(list, words[i:])
		for range n {
			gone[i] = true
			i++
		}
		if n > 0 {
			i--
		}
	}
	return gone
}

func shifted(positions map[int]bool, by int) map[int]bool {
	list := map[int]bool{}
	for i := range positions {
		list[i+by] = true
	}
	return list
}

// matching returns how many words a flag takes at the beginning of words: 1 for the flag alone, or 2 for a flag and
// its value. It returns 0 if the first word is not a flag in the list.
func matching(list, words []string) int {
	w := words[0]
	for _, f := range list {
		name, takes := strings.CutSuffix(f, "=")
		switch {
		case w == name && takes && len(words) > 1 && !strings.HasPrefix(words[1], "-"):
			return 2
		case w == name && takes:
			return 1
		case w == name && (w == "-j" || w == "--parallel") && len(words) > 1 && isCores(words[1]):
			return 2
		case w == name:
			return 1
		case takes && strings.HasPrefix(w, name+"="):
			return 1
		case (name == "-j" || takes && len(name) == 2 && name[1] != '-') && strings.HasPrefix(w, name) && isCores(w[2:]):
			return 1 // -j8
		}
	}
	return 0
}

// isCores reports whether a word is a number, or an expression for the number of cores.
func isCores(w string) bool {
	return isNumber(w) || oneOf(strings.Trim(w, "$(){}`\""), "nproc NPROC NUMBER_OF_PROCESSORS CORES JOBS") ||
		w == "$(nproc --all)" || strings.HasPrefix(w, "$(getconf _NPROCESSORS_ONLN") ||
		strings.HasPrefix(w, "$(sysctl -n hw.")
}
