// Command kube prepares the check of deploy's manifests, see script/kube.sh:
//
//	kube render CHART VALUES…   renders a chart as "helm template blqd CHART --values …" does
//	kube schemas SWAGGER DIR    writes the JSON schemas for kubeconform from Kubernetes' API description
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "kube:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) >= 2 && args[0] == "render":
		text, err := render(args[1], args[2:])
		if err == nil {
			_, err = os.Stdout.WriteString(text)
		}
		return err
	case len(args) == 3 && args[0] == "schemas":
		return schemas(args[1], args[2])
	}
	return fmt.Errorf("usage: kube render CHART VALUES… | kube schemas SWAGGER DIR")
}
