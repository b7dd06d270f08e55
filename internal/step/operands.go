package step

import (
	"path"
	"slices"
	"strings"
)

// nameOfTool returns the name of a program, with its subcommand or targets if it has any.
func nameOfTool(program string, args []string) named {
	switch program {
	case "[", "[[":
		program = "test"
	case ":":
		program = "true"
	}
	operands, dir := operandsOf(program, args)
	n := named{name: program, dir: dir, rank: rankOf(program, operands)}
	switch program {
	case "tox", "nox":
		if list := valuesAfter(args, "-e -s --session --sessions --env"); len(list) > 0 {
			n.name += "-" + strings.Join(list, "-")
			return n
		}
	case "nx":
		if list := valuesAfter(args, "-t --target --targets"); len(list) > 0 {
			n.name += "-" + strings.Join(append(operands[:min(1, len(operands))], list...), "-")
			return n
		}
	case "act":
		if list := valuesAfter(args, "-j --job"); len(list) > 0 {
			n.name += "-" + list[0]
			return n
		}
	case "earthly":
		return nameOfTarget(n, operands)
	case "nix":
		for i, o := range operands {
			_, operands[i], _ = strings.Cut("#"+o[strings.LastIndexByte(o, '#')+1:], "#")
		}
	case "cmake":
		for _, flag := range []string{"--build", "--install"} {
			if slices.Contains(args, flag) {
				n.name += "-" + flag[2:]
				n.rank = work
			}
		}
		return n
	case "golangci-lint", "vitest":
		return n
	}
	parts := operands[:min(len(operands), subcommands(program, operands))]
	n.name = strings.Join(append([]string{program}, parts...), "-")
	return n
}

// nameOfTarget adds the target of an Earthly command to the name and the directory: earthly ./api+lint gets the name
// earthly-lint and the directory api.
func nameOfTarget(n named, operands []string) named {
	if len(operands) == 0 {
		return n
	}
	dir, target, found := strings.Cut(operands[0], "+")
	if !found {
		target = dir
	} else if strings.HasPrefix(dir, ".") {
		n.dir = join(n.dir, dir)
	}
	n.name += "-" + target
	return n
}

// valuesAfter returns at most three words after one of the flags, up to the next flag: lint and test for -t lint test.
// For a flag with an attached value, it returns the parts between the commas: py311 and lint for -e=py311,lint.
func valuesAfter(args []string, flags string) []string {
	for i, a := range args {
		flag, value, attached := strings.Cut(a, "=")
		if !attached && isShort(a) && len(a) > 2 && oneOf(a[:2], flags) {
			flag, value, attached = a[:2], a[2:], true // -epy311
		}
		switch {
		case a == "--":
			return nil
		case !oneOf(flag, flags):
		case attached:
			return strings.Split(value, ",")
		default:
			list := args[i+1:]
			if end := slices.IndexFunc(list, func(w string) bool { return strings.HasPrefix(w, "-") }); end >= 0 {
				list = list[:end]
			}
			return list[:min(len(list), 3)]
		}
	}
	return nil
}

// valueAfter returns the value of a flag. It returns "" if there is none.
func valueAfter(args []string, flag string) string {
	for i, a := range args {
		if a == flag && i+1 < len(args) {
			return args[i+1]
		}
		if v, ok := strings.CutPrefix(a, flag+"="); ok {
			return v
		}
	}
	return ""
}

// operandsOf returns the operands of a command before "--". It leaves out flags and their values, toolchains of cargo
// such as +nightly, and variables such as CC=gcc for make. dir is the directory that flags set for the command.
func operandsOf(program string, args []string) (operands []string, dir string) {
	dir = "."
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			return operands, dir
		case strings.HasPrefix(a, "-"):
			flag, value, attached := strings.Cut(a, "=")
			if !attached && len(a) > 2 && a[1] != '-' && dirFlag(program, a[:2]) &&
				!oneOf(a, "-fae -ff -fn -fos") { // flags of Maven
				flag, value, attached = a[:2], a[2:], true // -Capi
			}
			takes := takesValue(program, flag) || dirFlag(program, flag)
			if !attached && takes && i+1 < len(args) {
				i++
				value = args[i]
			} else if !attached && (flag == "-j" || flag == "-l") && i+1 < len(args) && isNumber(args[i+1]) {
				i++
			}
			if dirFlag(program, flag) && value != "" && isPlain(value) {
				dir = join(dir, dirOf(value))
			}
		case strings.HasPrefix(a, "+") && program == "cargo": // cargo +nightly
		case strings.Contains(a, "=") && takesTargets(program): // make CC=gcc
		default:
			operands = append(operands, a)
		}
	}
	return operands, dir
}

// dirOf returns the directory of a project file. For a directory, it returns the directory itself.
func dirOf(value string) string {
	switch path.Ext(value) {
	case ".xml", ".toml", ".gradle", ".kts", ".json":
		return path.Dir(value)
	}
	return value
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789.") == ""
}
