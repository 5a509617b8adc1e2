package fleet_test

import (
	"slices"
	"testing"

	"odysseus/fleet"
)

func TestFieldsOfAResource(t *testing.T) {
	for _, tt := range []struct {
		name, object string
		want         []fleet.ResourceField
	}{
		{"every kind of value, keys escaped", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","labels":{"app":"y"}},"data":{"a/b~c":"text","n":9007199254740993,"t":true,"z":null,"l":[1,{"k":"v"}],"e":{}}}`, []fleet.ResourceField{
			{"/apiVersion", "text", "v1", fleet.CodeOverrideIdentity}, {"/kind", "text", "ConfigMap", fleet.CodeOverrideIdentity},
			{"/metadata", "map", "", fleet.CodeOverrideResidency}, {"/metadata/name", "text", "c", fleet.CodeOverrideIdentity},
			{"/metadata/labels", "map", "", fleet.CodeOverrideResidency}, {"/metadata/labels/app", "text", "y", ""},
			{"/data", "map", "", ""}, {"/data/a~1b~0c", "text", "text", ""}, {"/data/n", "number", "9007199254740993", ""}, {"/data/t", "bool", "true", ""}, {"/data/z", "null", "null", ""},
			{"/data/l", "list", "", ""}, {"/data/l/0", "number", "1", ""}, {"/data/l/1", "map", "", ""}, {"/data/l/1/k", "text", "v", ""}, {"/data/e", "map", "", ""}}},
		{"a Secret", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"a":"c2VjcmV0"}}`, []fleet.ResourceField{
			{"/apiVersion", "text", "v1", fleet.CodeOverrideIdentity}, {"/kind", "text", "Secret", fleet.CodeOverrideIdentity}, {"/metadata", "map", "", fleet.CodeOverrideResidency},
			{"/metadata/name", "text", "s", fleet.CodeOverrideIdentity}, {"/data", "map", "", ""}, {"/data/a", "text", fleet.HiddenValue, ""}}},
		{"its own residency", `{"apiVersion":"odysseus/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"image":"a","placement":{"residency":{"country":"CA"}}}}`, []fleet.ResourceField{
			{"/apiVersion", "text", "odysseus/v1", fleet.CodeOverrideIdentity}, {"/kind", "text", "Deployment", fleet.CodeOverrideIdentity}, {"/metadata", "map", "", fleet.CodeOverrideResidency},
			{"/metadata/name", "text", "d", fleet.CodeOverrideIdentity}, {"/spec", "map", "", fleet.CodeOverrideResidency}, {"/spec/image", "text", "a", ""},
			{"/spec/placement", "map", "", fleet.CodeOverrideResidency}, {"/spec/placement/residency", "map", "", fleet.CodeOverrideResidency},
			{"/spec/placement/residency/country", "text", "CA", fleet.CodeOverrideResidency}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := resource(t, tt.object)
			if got := r.Fields(); !slices.Equal(got, tt.want) {
				t.Errorf("%+v", got)
			}
		})
	}
	if got := (&fleet.Resource{}).Fields(); got != nil {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestContainersOfAResource(t *testing.T) {
	for _, tt := range []struct {
		name, object string
		want         []fleet.ResourceContainer
	}{
		{"a CronJob, init containers included", `{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"c"},"spec":{"jobTemplate":{"spec":{"template":{"spec":{"initContainers":[{"name":"i","image":"x:1"}],"containers":[{"name":"a","image":"y"},{"name":"b"}]}}}}}}`,
			[]fleet.ResourceContainer{{"i", "/spec/jobTemplate/spec/template/spec/initContainers/0/image", "x:1"}, {"a", "/spec/jobTemplate/spec/template/spec/containers/0/image", "y"},
				{"b", "/spec/jobTemplate/spec/template/spec/containers/1/image", ""}}},
		{"an own deployment", `{"apiVersion":"odysseus/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"image":"a"}}`, []fleet.ResourceContainer{{"", "/spec/image", "a"}}},
		{"what runs nothing", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","containers":[{"name":"a"}]},"data":{"containers":"a"}}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := resource(t, tt.object)
			if got := r.Containers(); !slices.Equal(got, tt.want) {
				t.Errorf("%+v", got)
			}
		})
	}
	if got := (&fleet.Resource{}).Containers(); got != nil {
		t.Errorf("of nothing: %+v", got)
	}
}
