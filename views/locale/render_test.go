package locale

import (
	"testing"

	"odysseus/fleet"
)

func TestOverridesAreRefusedAndWarnedOfInWords(t *testing.T) {
	_, w := english(t)
	manifest := `apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {namespace: demo}
spec:
  targetCluster: {}
  resourceSelectors:
  - {apiVersion: v1, kind: PersistentVolume}
  overrideRules:
  - overriders:
      imageOverrider: [{component: Registry, operator: add, value: "https://reg.example"}, {component: Tag, operator: replace}]
      labelsOverrider: [{operator: add, value: {odysseus.io/x: y}}]
      plaintext:
      - {path: spec/replicas, operator: replace}
      - {path: /metadata/annotations/example.com/a, operator: remove, value: x}
      - {path: /spec/placement/residency, operator: remove}
      - {path: /metadata/name, operator: remove}
`
	doc, faults := fleet.ParseOne([]byte(manifest), fleet.FormatYAML)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	o, decoded := fleet.DecodeOverride(doc)
	validated, warnings := fleet.ValidateOverride(&o, nil)
	var got []string
	for _, f := range fleet.JoinFaults(decoded, doc.Locate(validated)) {
		got = append(got, w.Refusal(f))
	}
	for _, warning := range warnings {
		got = append(got, w.Warning(warning))
	}
	want := []string{
		`metadata.name is required: write at most 63 lower-case letters, digits and "-", starting and ending with a letter or digit`,
		`the field "targetCluster" is not supported by this version: leave it out`,
		`"https://reg.example" is not accepted: write a registry, host[:port], with a path in it or without; its host holds a dot or a port, or is localhost`,
		`spec.overrideRules[0].overriders.imageOverrider[1].value is required: write a tag, such as v2, or a digest, such as sha256: and 64 digits`,
		`"odysseus.io/x" lies in residency, or would take it along, and no override may touch that: write a path or a key outside spec.placement and the reserved labels, and not a parent of them; residency is changed on the Deployment itself`,
		`spec.overrideRules[0].overriders.plaintext[0].value is required: write a value to replace; "null" is one`,
		`"spec/replicas" is not accepted: write a JSON Pointer that starts with "/", such as /spec/replicas`,
		`"/metadata/annotations/example.com/a" is not accepted: write the "/" within a key as "~1"`,
		`spec.overrideRules[0].overriders.plaintext[1].value has no meaning beside operator: remove: leave it out, or change that`,
		`"/spec/placement/residency" lies in residency, or would take it along, and no override may touch that: write a path or a key outside spec.placement and the reserved labels, and not a parent of them; residency is changed on the Deployment itself`,
		`"/metadata/name" is part of what a resource is called, and no override may change that: write a path outside apiVersion, kind, metadata.name and metadata.namespace`,
		`this selector selects nothing: PersistentVolume has no namespace, and only a ClusterOverridePolicy reaches it`,
		`the rule targets every cluster: its targetCluster narrows nothing`,
	}
	for i := range max(len(got), len(want)) {
		g, x := "", ""
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			x = want[i]
		}
		if g != x {
			t.Errorf("got  %q\nwant %q", g, x)
		}
	}
}

func TestWhatBlocksIsSaidInWords(t *testing.T) {
	_, w := english(t)
	tests := []struct {
		e    fleet.RenderError
		want string
	}{
		{fleet.RenderError{Detail: "missing", Path: "/spec/none"}, "nothing stands at /spec/none"},
		{fleet.RenderError{Detail: "missing", Path: "/k", Args: map[string]string{"Within": "/data/a.json"}}, "nothing stands at /k in the text at /data/a.json"},
		{fleet.RenderError{Detail: "missing_parent", Path: "/spec/strategy"}, "nothing stands at /spec/strategy, and parents are not made: add it first"},
		{fleet.RenderError{Detail: "scalar", Path: "/spec/replicas/x"}, "/spec/replicas/x leads into something that has no members"},
		{fleet.RenderError{Detail: "index", Path: "/spec/ports/web"}, "/spec/ports/web does not end in an index, and what it names is an item of a list"},
		{fleet.RenderError{Detail: "range", Path: "/spec/ports/9"}, "/spec/ports/9 is beyond the end of the list"},
		{fleet.RenderError{Detail: "type", Path: "/data/n", Args: map[string]string{"Got": "number", "Want": "text"}}, "/data/n is of another type: not a text"},
		{fleet.RenderError{Detail: "container", Args: map[string]string{"Container": "web"}}, "no container is called web"},
		{fleet.RenderError{Detail: "no_image", Path: "/spec/containers/0/image"}, "nothing stands at /spec/containers/0/image: the container has no image"},
		{fleet.RenderError{Detail: "image", Path: "/spec/image", Args: map[string]string{"Value": "A B"}}, `/spec/image holds no image that can be read: "A B"`},
		{fleet.RenderError{Detail: "image", Path: "/data/a"}, "/data/a holds no image that can be read"}, // of a Secret
		{fleet.RenderError{Detail: "image_result", Path: "/spec/image", Args: map[string]string{"Value": "a:-1"}}, `no image would come of /spec/image, but "a:-1"`},
		{fleet.RenderError{Detail: "tag_of_digest", Path: "/spec/image"}, "/spec/image has a digest: there is no tag to add to"},
		{fleet.RenderError{Detail: "not_json", Args: map[string]string{"Within": "/data/a"}}, "/data/a holds no JSON"},
		{fleet.RenderError{Detail: "not_yaml", Args: map[string]string{"Within": "/data/a"}}, "/data/a holds no single document of plain YAML"},
		{fleet.RenderError{Detail: "residency"}, "the result would have another residency, or a reserved label"},
		{fleet.RenderError{Detail: "identity"}, "the result would be another resource"},
		{fleet.RenderError{Detail: "too_large"}, "the result would be deeper or larger than a document may be"},
		{fleet.RenderError{Detail: "patch", Path: "spec"}, "spec is no step that can be carried out"},
		{fleet.RenderError{Detail: "refused", Faults: fleet.FieldErrors{{Code: fleet.CodeRequired, Field: "spec.image", Want: "image"}}}, "the result would be refused: spec.image is required: write [registry/]repository[:tag][@digest], in lower case"},
	}
	for _, tt := range tests {
		if got := w.RenderError(&tt.e); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
	}
	for note, want := range map[fleet.RenderNote]string{
		{Code: fleet.NoteNothingChanged, Path: "/spec/image"}: "/spec/image stays as it is",
		{Code: fleet.NoteNothingChanged}:                      "there is nothing to change",
		{Code: fleet.NoteDigestDropped, Path: "/spec/image"}:  "/spec/image loses its digest with the tag",
	} {
		if got := w.RenderNote(note); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := w.Reason(fleet.Reason{Code: fleet.ReasonOverrideBlocked, Clusters: []string{"a", "b"}}); got != "an override does not apply in a, b" {
		t.Errorf("reason %q", got)
	}
}
