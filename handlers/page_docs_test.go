package handlers_test

import (
	"encoding/json"
	"strings"
	"testing"

	"odysseus/fleet"
)

func TestReferenceIsPublicAndWhole(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.visitor(t)
	for _, path := range []string{"/docs/residency", "/docs/deployment", "/docs/policies", "/docs/placement", "/docs/rejections", "/docs/never-scheduled"} {
		s := b.answers(b.get(path), 200)
		if got := s.Find("main .tabs a").Length(); got != 6 {
			t.Errorf("%s links %d pages", path, got)
		}
	}
	signedIn := p.person(t, "acme", "viewer")
	if signedIn.answers(signedIn.get("/docs/residency"), 200).Find(".side").Length() != 1 {
		t.Error("who is signed in loses the navigation")
	}
	for _, limit := range []string{"not where their traffic goes", "moves no data", "keeps its own records", "where an image comes from", "no attestation", "no network policy of any kind", "compliance with any law"} {
		if got := b.get("/docs/residency").text("main"); !strings.Contains(got, limit) {
			t.Errorf("/docs/residency does not say %q", limit)
		}
	}
}

func TestEveryReasonIsExplainedWhereSomethingIsNeverScheduled(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.visitor(t)
	got := b.answers(b.get("/docs/never-scheduled"), 200).text("main")
	for _, e := range fleet.Registry() {
		if e.Kind == fleet.EntryReason && !strings.Contains(got, string(e.Code)+": ") {
			t.Errorf("%s is not explained", e.Code)
		}
	}
}

func TestRejectionsComeFromTheRegistry(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.visitor(t)
	s := b.answers(b.get("/docs/rejections"), 200)
	for _, e := range fleet.Registry() {
		section := s.Find(`section[id="` + string(e.Code) + `"]`)
		if section.Length() != 1 || section.Find("p").Text() == "" {
			t.Errorf("%s is not there", e.Code)
		}
	}
	if got := s.text("#residency_country_unassigned"); !strings.Contains(got, `"UK" is not an assigned ISO 3166-1 alpha-2 country code`) || !strings.Contains(got, "country: UK") {
		t.Errorf("the answer to the example: %q", got)
	}
	if got := s.text("#weights_both"); !strings.Contains(got, "are alternatives: only one of them could decide") || !strings.Contains(got, "dynamicWeight: AvailableReplicas") {
		t.Errorf("the answer to a policy's example: %q", got)
	}
	if got := s.text("#all_clusters"); !strings.Contains(got, "no placement is written: the resources go to every cluster") {
		t.Errorf("the warning of a policy's example: %q", got)
	}
	if s.Find("#alteration-replicas").Length() != 1 {
		t.Error("no alterations")
	}
	var twin struct {
		Rejections []struct {
			Code, Kind, Field, Cause, Example, Message string
			Status                                     int
		}
		Alterations []struct{ Alteration, About string }
	}
	raw := b.get("/docs/rejections.json")
	if err := json.Unmarshal([]byte(raw.raw), &twin); err != nil || raw.header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Fatal(err, raw.header)
	}
	if len(twin.Rejections) != len(fleet.Registry()) || twin.Rejections[0].Code != "residency_country_unassigned" || twin.Rejections[0].Status != 422 ||
		twin.Rejections[0].Message == "" || len(twin.Alterations) == 0 {
		t.Errorf("twin: %+v", twin.Rejections[0])
	}
}

func TestManifestReferenceComesFromTheStructs(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.visitor(t)
	s := b.answers(b.get("/docs/deployment"), 200)
	for path, want := range map[string]string{
		"spec.image":                       "string required [registry/]repository[:tag][@digest], in lower case",
		"spec.replicas":                    "integer 1 a whole number from 0 to 10000",
		"spec.ports[].protocol":            "string TCP one of TCP, UDP",
		"spec.placement.residency.country": "string – an assigned ISO 3166-1 alpha-2 code",
		"spec.env":                         "list of map – –",
		"spec.envFrom[].configMapRef.name": `string required at most 253 lower-case letters, digits, "-" and ".", starting and ending with a letter or digit`,
	} {
		var cells []string
		for i, cell := range s.Find(`tr[id="` + path + `"] td`).EachIter() {
			if i < 3 {
				cells = append(cells, strings.TrimSpace(cell.Text()))
			}
		}
		if got := strings.Join(cells, " "); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if s.Find(`tr[id="status"], tr[id="metadata.uid"]`).Length() != 0 {
		t.Error("what is not read is documented as if it were")
	}
	var twin struct {
		Fields []struct{ Path, Type, About string }
	}
	if err := json.Unmarshal([]byte(b.get("/docs/deployment.json").raw), &twin); err != nil || len(twin.Fields) != s.Find("tbody tr").Length() {
		t.Errorf("twin: %v, %d fields", err, len(twin.Fields))
	}
}
