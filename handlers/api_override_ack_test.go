package handlers_test

import (
	"slices"
	"strings"
	"testing"
)

// imagesOf are the images that a node is told to run, sorted; what it is told to stop has a "-" in front.
func (p *apiPlane) imagesOf(credential string) []string {
	p.t.Helper()
	a := p.want(p.ask(credential, "GET", "/api/v1/agents/self/assignments", ""), 200)
	images := []string{}
	containers, _ := a.json["containers"].([]any)
	for _, c := range containers {
		c, _ := c.(map[string]any)
		image, _ := c["image"].(string)
		if stop, _ := c["stop"].(bool); stop {
			image = "-" + image
		}
		images = append(images, image)
	}
	slices.Sort(images)
	return images
}

// TestACKOnesOverrideAsItStands: the whole file in one stream. "/spec/replicas replaced by 1 on one cluster only; its
// registry added in front of every image", and that is the first thing that a node is sent.
func TestACKOnesOverrideAsItStands(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("demo", "editor")
	first, second := p.node("n-1", "cluster-1", "", ""), p.node("n-2", "cluster-2", "", "")
	whole := stream(ackOneExamples(t)...)
	a := p.want(p.ask(editor, "POST", "/api/v1/apply", whole), 200)
	if a.get("items.2.result") != "created" || a.get("items.2.object.kind") != "OverridePolicy" || a.get("items.2.object.metadata.name") != "demo" || a.get("items.2.warnings") != "[]" || a.get("items.5") != "" {
		t.Errorf("applied %s", a.body)
	}
	p.settle()
	if got, other := p.imagesOf(first), p.imagesOf(second); !sameList(got, "registry.cn-hangzhou.aliyuncs.com/team/nginx:latest") || !sameList(other, "nginx:latest") {
		t.Errorf("sent %v and %v", got, other)
	}
	placed := p.want(p.ask(editor, "GET", of("/api/v1/namespaces/demo/resources/placement", "apps/v1", "Deployment", "web-demo"), ""), 200)
	for path, want := range map[string]string{
		"state": "Placed", "clusters.0.name": "cluster-1", "clusters.0.desired": "1", "clusters.0.divided": "2", "clusters.0.placed": "1", "clusters.0.overrides": `["OverridePolicy demo/demo"]`,
		"clusters.1.name": "cluster-2", "clusters.1.desired": "1", "clusters.1.divided": "", "clusters.1.placed": "1", "clusters.1.overrides": "", "pending": "",
	} {
		if got := placed.get(path); got != want {
			t.Errorf("%s is %s, want %s\nof %s", path, got, want, placed.body)
		}
	}
	policy := p.want(p.ask(editor, "GET", "/api/v1/namespaces/demo/overridepolicies/demo", ""), 200)
	if policy.get("status") != `{"blocked":[],"selected":1,"warnings":[]}` {
		t.Errorf("the policy: %s", policy.body)
	}
	a = p.want(p.ask(editor, "POST", "/api/v1/apply", whole), 200)
	for i := range 5 {
		if result := a.get("items." + string(rune('0'+i)) + ".result"); result != "unchanged" {
			t.Errorf("applied again, document %d is %s", i, result)
		}
	}
}

// TestWhatDependsOnAnOverrideWaitsForIt: "until each exists the policy is already the claimant and the binding is Waiting,
// and the first thing distributed is already overridden".
func TestWhatDependsOnAnOverrideWaitsForIt(t *testing.T) {
	p := startAPI(t, storing())
	editor := p.tenant("demo", "editor")
	first, second := p.node("n-1", "cluster-1", "", ""), p.node("n-2", "cluster-2", "", "")
	examples := ackOneExamples(t)
	p.want(p.ask(editor, "POST", "/api/v1/apply", stream(examples[0]+"\n  dependentOverrides: [demo, other]", examples[3])), 200)
	waits := func() {
		t.Helper()
		p.settle()
		a := p.want(p.ask(editor, "GET", of("/api/v1/namespaces/demo/resources/placement", "apps/v1", "Deployment", "web-demo"), ""), 200)
		if a.get("state") != "Waiting" || a.get("policy.name") != "web-demo" || a.get("pending.reasons.0.code") != "waiting_for_override_policy" || a.get("pending.reasons.1") != "" || len(p.imagesOf(first))+len(p.imagesOf(second)) != 0 {
			t.Errorf("while one is not there: %s; sent %v and %v", a.body, p.imagesOf(first), p.imagesOf(second))
		}
	}
	waits()
	p.want(p.ask(editor, "POST", "/api/v1/namespaces/demo/overridepolicies", examples[2]), 201)
	waits()
	p.want(p.ask(editor, "POST", "/api/v1/namespaces/demo/overridepolicies", strings.NewReplacer("name: demo\n", "name: other\n", "cluster-1", "cluster-2", "value: 1\n", "value: 2\n").Replace(examples[2])), 201)
	p.settle()
	const image = "registry.cn-hangzhou.aliyuncs.com/team/nginx:latest"
	if got, other := p.imagesOf(first), p.imagesOf(second); !sameList(got, image) || !sameList(other, image, image) {
		t.Errorf("the first that is sent: %v and %v", got, other)
	}
}
