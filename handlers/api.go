package handlers

import (
	"log/slog"
	"net/http"
	"strconv"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views/locale"
)

// API answers the JSON API for people and their tools. The route table mounts its methods; path values are ns,
// name, tenant, cluster, node and id. Who is asking stands in the context: control.WithActor.
//
// Every method does the same three things: decode, call one method of control, render.
type API struct {
	edge
	control *control.Control
}

// NewAPI makes the JSON API. It speaks English.
func NewAPI(c *control.Control, words *locale.Catalogue, logger *slog.Logger) *API {
	return &API{edge: edge{words: words.Words(), log: logger}, control: c}
}

// edge is what every JSON answer is made with.
type edge struct {
	words *locale.Words
	log   *slog.Logger
}

// writtenJSON answers a write. ID, Token and Impact stand beside the object where the write has them.
type writtenJSON struct {
	Object   any           `json:"object"`
	Warnings []warningJSON `json:"warnings"`
	ID       string        `json:"id,omitempty"`
	Token    string        `json:"token,omitempty"`
	Impact   *impactJSON   `json:"impact,omitempty"`
}

type listJSON struct {
	Items    any          `json:"items"`
	Metadata listMetadata `json:"metadata"`
}

type listMetadata struct {
	Continue string `json:"continue"`
}

type warningJSON struct {
	Code       fleet.Code       `json:"code"`
	Message    string           `json:"message"`
	Field      string           `json:"field,omitempty"`
	Setting    string           `json:"setting,omitempty"`
	Advertised *fleet.Geography `json:"advertised,omitempty"`
}

func (e edge) warnings(warnings []fleet.Warning) []warningJSON {
	out := make([]warningJSON, len(warnings))
	for i, warning := range warnings {
		out[i] = warningJSON{Code: warning.Code, Message: e.words.Warning(warning), Field: warning.Field, Setting: warning.Setting}
		if a := warning.Advertised; a != nil {
			out[i].Advertised = &fleet.Geography{Countries: filled(a.Countries), Regions: filled(a.Regions)}
		}
	}
	return out
}

// written answers an accepted write: 201 for what is new, else 200; a dry run creates nothing and is 200.
func (e edge) written(w http.ResponseWriter, created, dryRun bool, version string, body writtenJSON) {
	if body.Warnings == nil {
		body.Warnings = []warningJSON{}
	}
	status := http.StatusOK
	if created && !dryRun {
		status = http.StatusCreated
	}
	tag(w, version)
	writeJSON(w, "application/json", status, body)
}

// object answers a GET of one object.
func (e edge) object(w http.ResponseWriter, version string, v any) {
	tag(w, version)
	writeJSON(w, "application/json", http.StatusOK, v)
}

// tag answers the version as a quoted entity tag.
func tag(w http.ResponseWriter, version string) {
	if version != "" {
		w.Header().Set("ETag", strconv.Quote(version))
	}
}

// list answers a page, each item as render says.
func list[T, J any](w http.ResponseWriter, page control.Page[T], render func(T) J) {
	items := make([]J, len(page.Items))
	for i, item := range page.Items {
		items[i] = render(item)
	}
	writeJSON(w, "application/json", http.StatusOK, listJSON{Items: items, Metadata: listMetadata{Continue: page.Continue}})
}

func same[T any](v T) T { return v }

// filled is s, and [] instead of null where it is nil.
func filled[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func actor(r *http.Request) control.Actor { return control.ActorFrom(r.Context()) }
