#!/bin/sh
# Checks the manifests and the chart in deploy with kubeconform against the schemas of Kubernetes' API. It needs no
# cluster. The schemas come from the module of Kubernetes itself. If helm is installed, helm renders the chart, too.
set -eu
cd "$(dirname "$0")/.."
tools=$PWD/bin/tools

kubeconform=$tools/kubeconform-v0.6.7
if [ ! -x "$kubeconform" ]; then
	echo "building kubeconform v0.6.7 (once)"
	GOBIN=$tools GOFLAGS='' go install github.com/yannh/kubeconform/cmd/kubeconform@v0.6.7
	mv "$tools/kubeconform" "$kubeconform"
fi
schemas=$tools/kubernetes-v1.30.0
if [ ! -d "$schemas" ]; then
	module=$(GOFLAGS='' go mod download -json k8s.io/kubernetes@v1.30.0 | sed -n 's/.*"Dir": "\(.*\)",*$/\1/p')
	go run ./script/kube schemas "$module/api/openapi-spec/swagger.json" "$schemas.new"
	mv "$schemas.new" "$schemas"
fi

new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
for values in least all; do
	go run ./script/kube render deploy/helm/blqd "script/kube/testdata/$values.yaml" >"$new/$values.yaml"
	if command -v helm >/dev/null; then
		helm template blqd deploy/helm/blqd --kube-version 1.30.0 --values "script/kube/testdata/$values.yaml" \
			>"$new/helm-$values.yaml"
	fi
done
"$kubeconform" -strict -summary -schema-location "$schemas/{{.ResourceKind}}{{.KindSuffix}}.json" \
	deploy/kubernetes "$new"
