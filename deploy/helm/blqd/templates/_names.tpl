{{- define "blqd.name" -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "blqd.labels" -}}
app.kubernetes.io/name: blqd
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "blqd.account" -}}
{{ .Values.serviceAccount.name | default (include "blqd.name" .) }}
{{- end }}

{{- define "blqd.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion -}}
{{ .Values.image.repository }}{{ if hasPrefix "sha256:" $tag }}@{{ else }}:{{ end }}{{ $tag }}
{{- end }}

{{- define "blqd.secrets" -}}
{{- range $variable, $secret := .Values.secrets }}
- name: {{ $variable }}
  valueFrom:
    secretKeyRef: { name: {{ $secret.name }}, key: {{ $secret.key }} }
{{- end }}
{{- end }}
