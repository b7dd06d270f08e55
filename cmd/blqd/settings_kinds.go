package main

import (
	"time"

	"github.com/spf13/pflag"
)

type adder = func(f *pflag.FlagSet, c *Config, name, about string)

func text(of func(*Config) *string) adder {
	return func(f *pflag.FlagSet, c *Config, name, about string) { f.StringVar(of(c), name, *of(c), about) }
}

func list(of func(*Config) *[]string) adder {
	return func(f *pflag.FlagSet, c *Config, name, about string) { f.StringSliceVar(of(c), name, *of(c), about) }
}

func truth(of func(*Config) *bool) adder {
	return func(f *pflag.FlagSet, c *Config, name, about string) { f.BoolVar(of(c), name, *of(c), about) }
}

func number(of func(*Config) *int) adder {
	return func(f *pflag.FlagSet, c *Config, name, about string) { f.IntVar(of(c), name, *of(c), about) }
}

func duration(of func(*Config) *time.Duration) adder {
	return func(f *pflag.FlagSet, c *Config, name, about string) { f.DurationVar(of(c), name, *of(c), about) }
}
