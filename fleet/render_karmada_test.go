package fleet_test

import (
	"testing"

	"odysseus/fleet"
)

// TestWhereOverridesDepartFromKarmada, on purpose: what Karmada makes of each is said beside it. The decision is
// docs/decisions/0019.
func TestWhereOverridesDepartFromKarmada(t *testing.T) {
	side := "team/side:1@" + digest("a")
	const refusedWhenWritten, blocks = "refused", "blocked"
	tests := []struct{ name, overriders, at, want string }{
		// docker.ioreg.example/library/x: glued on
		{"a registry is put in front of the one that is there", "{imageOverrider: [{component: Registry, operator: replace, value: docker.io/library}, {component: Registry, operator: add, value: reg.example}]}", webImage, "reg.example/docker.io/library/nginx"},
		// busybox:1: only containers, and only of seven kinds
		{"init containers have images too", "{imageOverrider: [{component: Registry, operator: add, value: reg.example}]}", initImage, "reg.example/busybox:1"},
		// reg.example/team/side:1: the digest is lost
		{"a digest survives another registry", "{imageOverrider: [{component: Registry, operator: add, value: reg.example}]}", sideImage, "reg.example/" + side},
		// team/side:1 unchanged, and nothing said
		{"nothing is added to the tag of a digest", "{imageOverrider: [{component: Tag, operator: add, value: '2'}]}", sideImage, blocks},
		// nginx unchanged, and nothing said
		{"a tag that would be none", "{imageOverrider: [{predicate: {path: " + webImage + "}, component: Tag, operator: add, value: -rc1}]}", webImage, blocks},
		{"a tag that is none", "{imageOverrider: [{component: Tag, operator: replace, value: 'not a tag'}]}", webImage, refusedWhenWritten},
		// an empty image
		{"no repository", "{imageOverrider: [{component: Repository, operator: remove}]}", webImage, refusedWhenWritten},
		// https://reg.example/nginx
		{"a registry with a scheme", "{imageOverrider: [{component: Registry, operator: add, value: 'https://reg.example'}]}", webImage, refusedWhenWritten},
		// a panic
		{"a predicate out of range", "{imageOverrider: [{predicate: {path: /spec/template/spec/containers/7/image}, component: Tag, operator: remove}]}", webImage, blocks},
		{"a predicate of a negative index", "{imageOverrider: [{predicate: {path: /spec/template/spec/containers/-1/image}, component: Tag, operator: remove}]}", webImage, refusedWhenWritten},
		// skipped
		{"an unknown container", "{commandOverrider: [{containerName: none, operator: add, value: [x]}]}", webImage, blocks},
		{"a command of an init container", "{commandOverrider: [{containerName: init, operator: add, value: [x]}]}", "/spec/template/spec/initContainers/0/command", "[x]"},
		// a member of the root called replicas
		{"a path without a slash", "{plaintext: [{path: spec/replicas, operator: add, value: 1}]}", "/spec/replicas", refusedWhenWritten},
		// null
		{"nothing to add", "{plaintext: [{path: /spec/replicas, operator: add}]}", "/spec/replicas", refusedWhenWritten},
		// the last container goes
		{"an index from the end", "{plaintext: [{path: /spec/template/spec/containers/-1, operator: remove}]}", webImage, refusedWhenWritten},
		// the second container goes
		{"a leading zero", "{plaintext: [{path: /spec/template/spec/containers/01, operator: remove}]}", webImage, refusedWhenWritten},
		// a member called ""
		{"an empty key", "{plaintext: [{path: /spec/, operator: replace, value: x}]}", "/spec", refusedWhenWritten},
		// another resource
		{"another name", "{plaintext: [{path: /metadata/name, operator: replace, value: other}]}", "/metadata/name", refusedWhenWritten},
		{"another document", "{plaintext: [{path: '', operator: replace, value: {}}]}", "/spec", refusedWhenWritten},
		// delivered, and refused by the member
		{"replicas in words", "{plaintext: [{path: /spec/replicas, operator: replace, value: three}]}", "/spec/replicas", blocks},
	}
	web := resource(t, webManifest)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := unchecked(t, &web, tt.overriders)
			var got string
			if faults, _ := fleet.ValidateOverride(o, nil); len(faults) > 0 {
				got = refusedWhenWritten
			} else if rendered := fleet.Render(&web, fleet.Cluster{Name: "m1"}, []*fleet.Override{o}); rendered.Err != nil {
				got = blocks
			} else {
				got = at(t, &rendered, tt.at)
			}
			if got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
	// Karmada takes a policy without selectors, and applies it to everything.
	_, faults, _ := checkOverride(t, karmada+"kind: OverridePolicy\nmetadata: {name: o}\nspec: {overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}}]}\n", fleet.FormatYAML)
	if len(faults) != 1 || faults[0].Code != fleet.CodeRequired || faults[0].Field != "spec.resourceSelectors" {
		t.Errorf("without selectors: %+v", faults)
	}
}
