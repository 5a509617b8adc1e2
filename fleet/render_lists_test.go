package fleet_test

import (
	"testing"

	"odysseus/fleet"
)

// TestArgumentsAndLabelsAreOverridden "as Karmada defines them", and what came to nothing is said.
func TestArgumentsAndLabelsAreOverridden(t *testing.T) {
	const containers = "/spec/template/spec/containers/"
	tests := []struct {
		name, overriders, at, want, unchanged string
	}{
		{"an argument behind the others", "{argsOverrider: [{containerName: web, operator: add, value: [c, a]}]}", containers + "0/args", "[a b a c a]", ""},
		{"every equal argument goes", "{argsOverrider: [{containerName: web, operator: remove, value: [a, x]}]}", containers + "0/args", "[b]", ""},
		{"all of them", "{commandOverrider: [{containerName: web, operator: remove, value: [-c, sh]}]}", containers + "0/command", "[]", ""},
		{"a command that was not there", "{commandOverrider: [{containerName: side, operator: add, value: [x]}]}", containers + "1/command", "[x]", ""},
		{"none to remove", "{argsOverrider: [{containerName: web, operator: remove, value: [z]}]}", containers + "0/args", "[a b a]", containers + "0/args"},
		{"none at all to remove", "{argsOverrider: [{containerName: side, operator: remove, value: [z]}]}", containers + "1/args", "[]", containers + "1/args"},
		{"an init container", "{argsOverrider: [{containerName: init, operator: add, value: [z]}]}", "/spec/template/spec/initContainers/0/args", "[z]", ""},
		{"a label, and one over another", "{labelsOverrider: [{operator: add, value: {a.b/c: d, app: e}}]}", "/metadata/labels", "map[a.b/c:d app:e]", ""},
		{"the same label", "{labelsOverrider: [{operator: add, value: {app: web}}]}", "/metadata/labels", "map[app:web]", "/metadata/labels/app"},
		{"a label in the place of one", "{labelsOverrider: [{operator: replace, value: {app: x}}]}", "/metadata/labels", "map[app:x]", ""},
		{"a label in the place of none", "{labelsOverrider: [{operator: replace, value: {a.b/c: x}}]}", "/metadata/labels", "map[app:web]", "/metadata/labels/a.b~1c"},
		{"the last label goes, whatever its value", "{labelsOverrider: [{operator: remove, value: {app: other}}]}", "/metadata/labels", "map[]", ""},
		{"no label to remove", "{labelsOverrider: [{operator: remove, value: {x: ''}}]}", "/metadata/labels", "map[app:web]", "/metadata/labels/x"},
		{"the template's stay", "{labelsOverrider: [{operator: add, value: {x: y}}]}", "/spec/template/metadata/labels", "map[app:web]", ""},
		{"annotations that were not there", "{annotationsOverrider: [{operator: add, value: {note: any text}}]}", "/metadata/annotations", "map[note:any text]", ""},
		{"no annotations to remove from", "{annotationsOverrider: [{operator: remove, value: {note: ''}}]}", "/metadata/annotations", "<nil>", "/metadata/annotations/note"},
		{"no image", "{imageOverrider: [{component: Tag, operator: remove}]}", "/spec/replicas", "3", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			web := resource(t, webManifest)
			o := overrideOf(t, fleet.KindOverridePolicy, "o", &web, "", tt.overriders)
			got := fleet.Render(&web, fleet.Cluster{Name: "m1"}, []*fleet.Override{o})
			if text := at(t, &got, tt.at); text != tt.want {
				t.Errorf("%s, want %s", text, tt.want)
			}
			unchanged := ""
			for _, n := range got.Notes {
				if n.Code == fleet.NoteNothingChanged && n.Path != webImage {
					unchanged += n.Path
				}
			}
			if unchanged != tt.unchanged {
				t.Errorf("said to be unchanged: %s, want %s", unchanged, tt.unchanged)
			}
		})
	}
	volume := resource(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: demo}}")
	o := overrideOf(t, fleet.KindOverridePolicy, "o", &volume, "", "{imageOverrider: [{component: Tag, operator: remove}]}")
	got := fleet.Render(&volume, fleet.Cluster{Name: "m1"}, []*fleet.Override{o})
	want := fleet.RenderNote{AppliedRule: fleet.AppliedRule{Policy: o.Ref()}, Code: fleet.NoteNothingChanged, Field: "spec.overrideRules[0].overriders.imageOverrider[0]"}
	if len(got.Notes) != 1 || got.Notes[0] != want || got.Err != nil {
		t.Errorf("a resource without images: %+v", got)
	}
}
