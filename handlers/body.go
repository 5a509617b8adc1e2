package handlers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"odysseus/control"
	"odysseus/fleet"
)

// Limits of a list.
const (
	defaultLimit = 100
	maxLimit     = 500
	maxQuery     = 253 // characters of q and of a cursor's like
)

// readBytes reads a body and what it is written in; false where it was answered: 415 for anything but YAML and
// JSON. Its size was bounded before it came here. A body without a single byte needs no type.
func (e edge) readBytes(w http.ResponseWriter, r *http.Request) ([]byte, fleet.Format, bool) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		e.failed(w, r, fmt.Errorf("read body: %w", err))
		return nil, 0, false
	}
	given := r.Header.Get("Content-Type")
	if len(raw) == 0 && given == "" {
		return nil, fleet.FormatYAML, true
	}
	mediaType, _, err := mime.ParseMediaType(given)
	if err != nil {
		mediaType = "" // it answers the type also where the parameters behind it are none
	}
	switch mediaType {
	case "application/yaml":
		return raw, fleet.FormatYAML, true
	case "application/json":
		return raw, fleet.FormatJSON, true
	}
	writeProblem(w, e.words, http.StatusUnsupportedMediaType, fleet.FieldErrors{{Code: fleet.CodeUnsupportedMedia, Field: "Content-Type", Value: given, Want: "media"}})
	return nil, 0, false
}

// readBody decodes a small object. What is wrong in it is control's to answer, and to audit.
func readBody[T any](e edge, w http.ResponseWriter, r *http.Request) (control.Body[T], bool) {
	raw, format, ok := e.readBytes(w, r)
	if !ok {
		return control.Body[T]{}, false
	}
	return control.ParseBody[T](raw, format), true
}

// readOptional is readBody for a body that may be left out.
func readOptional[T any](e edge, w http.ResponseWriter, r *http.Request) (control.Body[T], bool) {
	raw, format, ok := e.readBytes(w, r)
	if !ok || len(bytes.TrimSpace(raw)) == 0 {
		return control.Body[T]{}, ok
	}
	return control.ParseBody[T](raw, format), true
}

// writeOptions reads ?dryRun= and If-Match; false where it was answered.
func (e edge) writeOptions(w http.ResponseWriter, r *http.Request) (control.WriteOptions, bool) {
	o := control.WriteOptions{IfMatch: entityTag(r.Header.Get("If-Match"))}
	dryRun, given := r.URL.Query()["dryRun"]
	if !given {
		return o, true
	}
	if len(dryRun) != 1 || dryRun[0] != "All" {
		writeProblem(w, e.words, http.StatusUnprocessableEntity, fleet.FieldErrors{{Code: fleet.CodeNotAccepted, Field: "dryRun", Value: strings.Join(dryRun, ", "), Want: "one_of",
			WantArgs: map[string]string{"Values": "All"}, Suggestion: "All"}})
		return o, false
	}
	o.DryRun = true
	return o, true
}

// entityTag reads If-Match: a quoted entity tag, unquoted and * accepted too. A weak tag stays as it is, and so
// matches nothing: If-Match compares strongly (RFC 9110, 13.1.1).
func entityTag(header string) string {
	header = strings.TrimSpace(header)
	if len(header) >= 2 && header[0] == '"' && header[len(header)-1] == '"' {
		return header[1 : len(header)-1]
	}
	return header
}

// listOptions reads the query of a list; false where it was answered.
func (e edge) listOptions(w http.ResponseWriter, r *http.Request) (fleet.ListOptions, bool) {
	q := r.URL.Query()
	o := fleet.ListOptions{Limit: defaultLimit, After: q.Get("continue"), Query: q.Get("q")}
	var faults fleet.FieldErrors
	if text := q.Get("limit"); q.Has("limit") {
		n, err := strconv.Atoi(text)
		switch {
		case err != nil:
			faults = append(faults, fleet.FieldError{Code: fleet.CodeWrongType, Field: "limit", Value: text, Want: "type_integer", Args: map[string]string{"Got": "text", "Want": "integer"}})
		case n < 1 || n > maxLimit:
			faults = append(faults, fleet.FieldError{Code: fleet.CodeOutOfRange, Field: "limit", Value: text, Want: "range", WantArgs: map[string]string{"Low": "1", "High": strconv.Itoa(maxLimit)}})
		default:
			o.Limit = n
		}
	}
	if len([]rune(o.Query)) > maxQuery {
		faults = append(faults, fleet.FieldError{Code: fleet.CodeTooLong, Field: "q", Value: o.Query, Want: "at_most_characters", WantArgs: map[string]string{"Limit": strconv.Itoa(maxQuery)}})
	}
	selector, broken := fleet.ParseSelector(q.Get("labelSelector"))
	if faults = append(faults, broken...); len(faults) > 0 {
		writeProblem(w, e.words, refusalStatus(faults), faults)
		return o, false
	}
	if selector != nil {
		o.Labels = selector
	}
	return o, true
}

// writeJSON renders into a buffer first: a failed render never sends half an answer.
func writeJSON(w http.ResponseWriter, contentType string, status int, v any) {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		panic(fmt.Sprintf("encode answer %T: %v", v, err)) // a type of ours is no JSON; the server answers 500
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a client that went away
}
