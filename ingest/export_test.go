package ingest

var OpenAPI = openAPI

// Routes returns the routes of the API as "METHOD PATH".
func Routes() []string {
	var patterns []string
	for _, r := range routes {
		patterns = append(patterns, r.Method+" "+r.Path)
	}
	return patterns
}
