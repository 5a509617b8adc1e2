package handlers

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
)

// described are the endpoints that have a description.
func described() []Endpoint {
	var endpoints []Endpoint
	for key := range operations() {
		method, path, _ := strings.Cut(key, " ")
		endpoints = append(endpoints, Endpoint{method, path})
	}
	return endpoints
}

func TestTheDescriptionHoldsTogether(t *testing.T) {
	handler, err := OpenAPI(described())
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	handler(w, httptest.NewRequest("GET", "/openapi.json", nil))
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string
			Parameters  []struct{ In, Name string }
			RequestBody map[string]any
			Responses   map[string]any
		}
		Components struct {
			Schemas map[string]struct {
				Type       string
				Required   []string
				Properties map[string]map[string]any
			}
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || doc.OpenAPI != "3.1.0" {
		t.Fatalf("%v: %.200s", err, w.Body)
	}
	ids := map[string]string{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if other := ids[op.OperationID]; op.OperationID == "" || other != "" {
				t.Errorf("%s %s has the id %q, and so has %q", method, path, op.OperationID, other)
			}
			ids[op.OperationID] = method + " " + path
			inPath := 0
			for _, p := range op.Parameters {
				if p.In == "path" {
					inPath++
				}
			}
			if inPath != strings.Count(path, "{") {
				t.Errorf("%s %s describes %d parameters of its path", method, path, inPath)
			}
			if method == "get" && op.RequestBody != nil || op.Responses["default"] == nil {
				t.Errorf("%s %s: %+v", method, path, op)
			}
		}
	}
	for name, s := range doc.Components.Schemas {
		if s.Type != "object" || len(s.Properties) == 0 {
			t.Errorf("%s says nothing: %+v", name, s)
		}
	}
	for piece := range strings.SplitSeq(w.Body.String(), `"$ref":"#/components/schemas/`) {
		if name, _, ok := strings.Cut(piece, `"`); ok && !strings.HasPrefix(piece, "{") {
			if _, there := doc.Components.Schemas[name]; !there {
				t.Errorf("a reference to %s, which is not there", name)
			}
		}
	}
	spec := doc.Components.Schemas["DeploymentSpec"]
	if strings.Join(spec.Required, " ") != "image" || spec.Properties["replicas"]["maximum"] != 10000.0 || spec.Properties["replicas"]["default"] != 1.0 ||
		len(spec.Properties["restartPolicy"]["enum"].([]any)) != 3 {
		t.Errorf("the spec of a deployment: %+v", spec)
	}
	if user := doc.Components.Schemas["User"]; user.Properties["email"] == nil || user.Properties["passwordHash"] != nil || user.Properties["apiVersion"] == nil {
		t.Errorf("a person: %+v", user)
	}
	if patch := doc.Components.Schemas["PlaintextOverrider"]; len(patch.Properties["value"]) != 0 || strings.Join(patch.Required, " ") != "operator path" {
		t.Errorf("a step of a patch, whose value is anything: %+v", patch)
	}
	if read := doc.Components.Schemas["OverrideDetail"]; read.Properties["spec"] == nil || read.Properties["status"]["$ref"] != "#/components/schemas/OverrideStatus" {
		t.Errorf("an override policy as it is read: %+v", read)
	}
}

func TestRoutesAndDescriptionsMatch(t *testing.T) {
	all := described()
	for name, c := range map[string]struct {
		endpoints []Endpoint
		want      string
	}{
		"a route without a description": {append(all, Endpoint{"GET", "/api/v1/new"}), "describe GET /api/v1/new: no description"},
		"a description without a route": {nil, "describe DELETE /api/v1/clusteroverridepolicies/{name}: no such route"},
	} {
		if _, err := OpenAPI(c.endpoints); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
