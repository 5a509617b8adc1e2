package views

import (
	"strings"
	"testing"

	"odysseus/fleet"
)

func TestEveryFieldOfAManifestIsDescribed(t *testing.T) {
	_, catalogue := stage(t)
	seen := map[string]bool{}
	for _, f := range DeploymentReference(catalogue.Words()) {
		seen["reference."+f.Path] = true
		if f.About == "" || f.Type == "" {
			t.Errorf("%+v", f)
		}
	}
	fields := fleet.PolicyFields()
	for i, f := range PolicyReference(catalogue.Words()) {
		seen[strings.Replace("reference.policy."+fields[i].Part+"."+fields[i].Name, "..", ".", 1)] = true
		if f.About == "" || f.Type == "" || f.Path != fields[i].Path {
			t.Errorf("%+v", f)
		}
	}
	for _, key := range catalogue.Keys() {
		if strings.HasPrefix(key, "reference.") && !seen[key] {
			t.Errorf("%s describes a field that is not there", key)
		}
	}
}
