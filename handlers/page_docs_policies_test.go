package handlers_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"odysseus/fleet"
)

// cells of a table's rows, white space folded.
func (s sheet) cells(table string) [][]string {
	var rows [][]string
	s.Find(table + " tbody tr").Each(func(_ int, row *goquery.Selection) {
		var cells []string
		row.Find("th, td").Each(func(_ int, cell *goquery.Selection) {
			cells = append(cells, strings.Join(strings.Fields(cell.Text()), " "))
		})
		rows = append(rows, cells)
	})
	return rows
}

func TestPolicyReferenceDividesTheExample(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.visitor(t)
	s := b.answers(b.get("/docs/policies"), 200)
	want := [][]string{{"cluster-1", "2", "2"}, {"cluster-2", "1", "1"}}
	if got := s.cells("#example-division"); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("three replicas by 2 and 1: %v", got)
	}
	steps := [][]string{
		{"1", "2/1", "1/1", "cluster-1", "1 / 0"},
		{"2", "2/3", "1/1", "cluster-2", "1 / 1"},
		{"3", "2/3", "1/3", "cluster-1", "2 / 1"},
		{"4", "2/5", "1/3", "cluster-1", "3 / 1"},
		{"5", "2/7", "1/3", "cluster-2", "3 / 2"},
		{"6", "2/7", "1/5", "cluster-1", "4 / 2"},
	}
	if got := s.cells("#webster-table"); !slices.EqualFunc(got, steps, slices.Equal) {
		t.Errorf("one replica after the other: %v", got)
	}
}

// Each replica of the table went where the page says that it goes: to the largest quotient.
func TestPolicyReferenceGivesEachReplicaToTheLargestQuotient(t *testing.T) {
	p := startAPI(t, storing())
	var twin struct {
		Division []struct {
			Replicas int
			To       string
			Parts    []struct {
				Cluster, Quotient string
				Weight            int64
				Replicas          int
			}
		}
	}
	if err := json.Unmarshal([]byte(p.visitor(t).get("/docs/policies.json").raw), &twin); err != nil || len(twin.Division) != 6 {
		t.Fatal(err, twin)
	}
	for i, step := range twin.Division {
		best, bestOver, sum, to := 0, 1, 0, ""
		for _, part := range step.Parts {
			over, under, _ := strings.Cut(part.Quotient, "/")
			a, err := strconv.Atoi(over)
			if err != nil {
				t.Fatal(err)
			}
			c, err := strconv.Atoi(under)
			if err != nil {
				t.Fatal(err)
			}
			if a*bestOver > best*c {
				best, bestOver, to = a, c, part.Cluster
			}
			sum += part.Replicas
		}
		if step.Replicas != i+1 || sum != step.Replicas || step.To != to {
			t.Errorf("%+v", step)
		}
	}
}

func TestPolicyReferenceComesFromTheStructsAndTheRules(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.visitor(t)
	s := b.answers(b.get("/docs/policies"), 200)
	for path, want := range map[string][4]string{
		"apiVersion": {"string", "required", "one of policy.one.alibabacloud.com/v1alpha1, one.alibabacloud.com/v1alpha1, policy.karmada.io/v1alpha1",
			"Refused with: required kind_unsupported"},
		"spec.placement": {"map", "required under Karmada's API: every cluster granted to you", `a placement; "placement: {}" is every cluster granted to you`,
			"Refused with: required Warned of with: all_clusters"},
		"spec.priority":                    {"integer", "0", "a whole number from -2147483648 to 2147483647", "Refused with: out_of_range"},
		"spec.preserveResourcesOnDeletion": {"bool", "true under Karmada's API: false", "–", "when the resource is."},
		"spec.placement.clusterAffinity.exclude": {"list of string", "–", `at most 63 lower-case letters, digits and "-", starting and ending with a letter or digit`,
			"Refused with: name_invalid exclude_both Warned of with: cluster_unknown"},
		"spec.placement.replicaScheduling.weightPreference.dynamicWeight": {"string", "–", "one of AvailableReplicas",
			"Refused with: value_not_accepted weights_both field_conflict"},
		"spec.failover.application.purgeMode": {"string", "required", "one of Immediately, Graciously, Never", "Refused with: required value_not_accepted"},
		"spec.resourceSelectors[].labelSelector.matchExpressions[].operator": {"string", "required", "one of In, NotIn, Exists, DoesNotExist",
			"Refused with: required value_not_accepted"},
	} {
		cells := s.Find(`tr[id="` + path + `"] td`)
		for i, part := range want {
			got := strings.Join(strings.Fields(cells.Eq(i).Text()), " ")
			// The last cell is what the field is, in words, before its codes.
			if i < 3 && got != part || i == 3 && (!strings.HasSuffix(got, part) || len(got) == len(part)) {
				t.Errorf("%s: got %q, want %q", path, got, part)
			}
		}
	}
	for _, f := range fleet.UnsupportedPolicyFields() {
		if got := s.text("main"); !strings.Contains(got, f.Path) {
			t.Errorf("%s is not said to be refused", f.Path)
		}
	}
	if got := s.text("main"); !strings.Contains(got, "spec.association (instead: spec.propagateDeps)") {
		t.Error("what to write instead is not said")
	}
	// Every code that a field may get is explained.
	rejections := b.answers(b.get("/docs/rejections"), 200)
	s.Find(`a[href^="/docs/rejections#"]`).Each(func(_ int, link *goquery.Selection) {
		_, code, _ := strings.Cut(link.AttrOr("href", ""), "#")
		if rejections.Find(`section[id="`+code+`"]`).Length() != 1 {
			t.Errorf("%s leads nowhere", code)
		}
	})
}

func TestPolicyReferenceSaysWhatTheTwoAPIsDifferIn(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.visitor(t)
	s := b.answers(b.get("/docs/policies"), 200)
	var facts []string
	s.Find("dl.facts").Each(func(_ int, list *goquery.Selection) {
		list.Find("dd").Each(func(_ int, fact *goquery.Selection) {
			facts = append(facts, strings.Join(strings.Fields(fact.Text()), " "))
		})
	})
	want := []string{
		"policy.one.alibabacloud.com/v1alpha1 one.alibabacloud.com/v1alpha1", "refused: required", "true",
		"kept where preserveResourcesOnDeletion is true", "always removed", "Immediately, Graciously, Never",
		"policy.karmada.io/v1alpha1", "every cluster, with the warning all_clusters", "false",
		"always kept", "kept where preserveResourcesOnDeletion is true", "Immediately, Graciously, Never, Directly, Gracefully",
	}
	if !slices.Equal(facts, want) {
		t.Errorf("%q", facts)
	}
}

func TestPolicyReferenceHasATwin(t *testing.T) {
	p := startAPI(t, enforcing())
	raw := p.visitor(t).get("/docs/policies.json")
	var twin struct {
		Fields []struct {
			Path, Type, Default, Accepted, About string
			Required                             bool
			UnderKarmada                         *struct {
				Required bool
				Default  string
			}
			Refusals, Warnings []string
		}
		APIs []struct {
			APIVersions       []string
			PlacementRequired bool
			PurgeModes        []string
		}
		Unsupported []struct{ Path, Instead string }
	}
	if err := json.Unmarshal([]byte(raw.raw), &twin); err != nil || raw.status != 200 || raw.header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Fatal(err, raw.status, raw.header)
	}
	if len(twin.Fields) != len(fleet.PolicyFields()) || len(twin.Unsupported) != len(fleet.UnsupportedPolicyFields()) || len(twin.APIs) != 2 || !twin.APIs[0].PlacementRequired || twin.APIs[1].PlacementRequired {
		t.Errorf("%d fields, %d unsupported, %+v", len(twin.Fields), len(twin.Unsupported), twin.APIs)
	}
	for i, f := range fleet.PolicyFields() {
		got := twin.Fields[i]
		if got.Path != f.Path || got.About == "" || got.Type == "" || len(got.Refusals) != len(f.Refusals) || len(got.Warnings) != len(f.Warnings) || (got.UnderKarmada != nil) != (f.ACKOne != f.Karmada) {
			t.Errorf("%+v of %+v", got, f)
		}
	}
}
