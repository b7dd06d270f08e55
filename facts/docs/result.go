package docs

// Hit is a block that a search found.
type Hit struct {
	Alias       string   `json:"alias" jsonschema:"source, with the path of the document if it has several"`
	Lines       string   `json:"lines" jsonschema:"first and last line of the block"`
	HeadingPath []string `json:"headingPath" jsonschema:"headings from the highest to the block's own"`
	Snippet     string   `json:"snippet" jsonschema:"about 200 characters of it"`
	Score       float64  `json:"score" jsonschema:"0 to 100"`
	SourceURL   string   `json:"sourceUrl,omitempty" jsonschema:"where people read it"`
	Ref         string   `json:"ref" jsonschema:"citation of this version"`
}

// Snippet is the text of a range of lines that a citation names.
type Snippet struct {
	Alias       string   `json:"alias" jsonschema:"source, with the path of the document if it has several"`
	Lines       string   `json:"lines" jsonschema:"first and last line"`
	Content     string   `json:"content" jsonschema:"the lines"`
	HeadingPath []string `json:"headingPath" jsonschema:"headings above the first line"`
	Truncated   bool     `json:"truncated,omitempty" jsonschema:"less than was asked for"`
	SourceURL   string   `json:"sourceUrl,omitempty" jsonschema:"where people read it"`
	Ref         string   `json:"ref" jsonschema:"citation of this version"`
}

// Executed describes the query that was run.
type Executed struct {
	Searched          bool `json:"searched"`
	RetrievedSnippets bool `json:"retrievedSnippets"`
}

// Found is the answer of find. Its lists are never null in JSON.
type Found struct {
	Snippets []Snippet `json:"snippets"`
	Hits     []Hit     `json:"hits"`
	Executed Executed  `json:"executed"`
}
