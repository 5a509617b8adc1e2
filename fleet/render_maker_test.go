package fleet_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"odysseus/fleet"
)

// maker makes overriders that fit a document better than chance would: of its own paths and values.
type maker struct {
	*rand.Rand
	paths  []string
	values []json.RawMessage
}

func newMaker(seed uint64, object json.RawMessage) maker {
	m := maker{Rand: rand.New(rand.NewPCG(seed, 40)), paths: []string{""}, values: []json.RawMessage{json.RawMessage("null"), json.RawMessage(`"x:1"`), json.RawMessage("7"), json.RawMessage(`{"a":[{}]}`)}}
	var document any
	if json.Unmarshal(object, &document) == nil {
		m.walk("", document)
	}
	return m
}

func (m *maker) walk(path string, v any) {
	if len(m.paths) > 200 {
		return
	}
	if raw, err := json.Marshal(v); err == nil {
		m.values = append(m.values, raw)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			at := path + "/" + strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
			m.paths = append(m.paths, at)
			m.walk(at, v[key])
		}
	case []any:
		for i := range v {
			at := fmt.Sprintf("%s/%d", path, i)
			m.paths = append(m.paths, at)
			m.walk(at, v[i])
		}
	}
}

func pick[T any](m maker, of ...T) T { return of[m.IntN(len(of))] }

// path is one of the document's, or one beside or below it.
func (m maker) path() string {
	path := pick(m, m.paths...)
	switch m.IntN(6) {
	case 0:
		path += pick(m, "/-", "/0", "/1", "/a", "/~0~1", "/01", "/")
	case 1:
		path = path[:max(0, strings.LastIndexByte(path, '/'))] + pick(m, "/-", "/2", "/b", "/new")
	}
	return path
}

func (m maker) operator() string { return pick(m, "add", "replace", "remove") }

func (m maker) patches() []fleet.FieldPatch {
	patches := make([]fleet.FieldPatch, 1+m.IntN(3))
	for i := range patches {
		patches[i] = fleet.FieldPatch{SubPath: pick(m, "/a", "/b", "/a/0", "/a/-", "/0", "/d/1/b", m.path()), Operator: m.operator(), Value: pick(m, m.values...)}
	}
	return patches
}

func (m maker) overriders() *fleet.Overriders {
	var o fleet.Overriders
	for range 1 + m.IntN(3) {
		switch m.IntN(7) {
		case 0:
			image := fleet.ImageOverrider{Component: pick(m, "Registry", "Repository", "Tag"), Operator: m.operator(), Value: pick(m, "reg.example", "reg.example:5000/a", "x", "-rc1", "v2", "", digest("b"), "A B")}
			if m.IntN(2) == 0 {
				image.Predicate = &fleet.ImagePredicate{Path: m.path()}
			}
			o.ImageOverrider = append(o.ImageOverrider, image)
		case 1:
			arguments := fleet.ArgumentsOverrider{ContainerName: pick(m, "a", "b", "web", "i"), Operator: m.operator(), Value: []string{pick(m, "x", "-c"), "y"}}
			o.CommandOverrider = append(o.CommandOverrider, arguments)
			o.ArgsOverrider = append(o.ArgsOverrider, arguments)
		case 2:
			labels := fleet.MetadataOverrider{Operator: m.operator(), Value: map[string]string{pick(m, "app", "a", "ex.io/a"): pick(m, "", "web", "1")}}
			o.LabelsOverrider = append(o.LabelsOverrider, labels)
			o.AnnotationsOverrider = append(o.AnnotationsOverrider, labels)
		case 3:
			o.FieldOverrider = append(o.FieldOverrider, fleet.FieldOverrider{FieldPath: m.path(), JSON: m.patches()})
		case 4:
			o.FieldOverrider = append(o.FieldOverrider, fleet.FieldOverrider{FieldPath: m.path(), YAML: m.patches()})
		default:
			path := m.path()
			o.Plaintext = append(o.Plaintext, fleet.PlaintextOverrider{Path: &path, Operator: m.operator(), Value: pick(m, m.values...)})
		}
	}
	return &o
}

// policies for the resource, whatever it is.
func (m maker) policies(r *fleet.Resource) []*fleet.Override {
	var made []*fleet.Override
	for i := range 1 + m.IntN(3) {
		o := &fleet.Override{APIVersion: fleet.PolicyAPIVersionKarmada, Kind: pick(m, fleet.OverrideKinds()...), Metadata: fleet.Metadata{Name: fmt.Sprintf("made-%d", i), Namespace: r.Namespace}}
		o.Spec.ResourceSelectors = []fleet.ResourceSelector{{APIVersion: r.APIVersion, Kind: r.Kind}}
		for range 1 + m.IntN(2) {
			o.Spec.OverrideRules = append(o.Spec.OverrideRules, fleet.OverrideRule{Overriders: m.overriders()})
		}
		made = append(made, o)
	}
	return made
}
