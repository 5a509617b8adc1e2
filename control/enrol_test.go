package control_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"odysseus/control"
	"odysseus/fleet"
)

func TestEnrolmentTakesATokenOnceAndTellsNothingElse(t *testing.T) {
	r := newRig(t)
	r.cluster("c1")
	r.cluster("c2")
	issue := func(n control.NewEnrolmentToken) string {
		t.Helper()
		w, faults, err := r.CreateEnrolmentToken(r.ctx, root, "c1", control.Body[control.NewEnrolmentToken]{Value: n}, nothing)
		r.must(faults, err)
		return w.Object.Secret
	}
	token := issue(control.NewEnrolmentToken{})
	enrol := func(token, name, cluster, labels string) (control.Enrolled, fleet.FieldErrors, error) {
		return r.Enrol(r.ctx, enrolBody(token, name, cluster, labels), "192.0.2.9")
	}
	if _, faults, err := enrol(token, "n1", "c1", geoLabels("UK", "")); err != nil || !sameCodes(faults.Codes(), fleet.CodeNodeCountryInvalid) || faults[0].Value != "UK" || faults[0].Suggestion != "GB" {
		t.Errorf("UK: refused %+v, error %v", faults, err)
	}
	done, faults, err := enrol(token, "n1", "c1", geoLabels("CA", "north-america"))
	r.must(faults, err)
	if e := r.audit(1)[0]; !e.Accepted || e.Verb != "enrol" || e.Actor != "node n1" || e.Kind != "Node" || strings.Contains(text(e), done.Credential) {
		t.Errorf("audited %+v", e)
	}
	v, err := r.Node(r.ctx, root, "n1")
	if err != nil || v.Geo() != (fleet.Geo{Country: "CA", Region: "north-america"}) || v.Cluster != "c1" || v.Capacity != (fleet.Amount{MilliCPU: 8000, Memory: 16 << 30, Slots: 100}) || !v.State.Live {
		t.Errorf("node %+v, error %v", v, err)
	}
	expired := issue(control.NewEnrolmentToken{ExpiresIn: "1m"})
	r.clock.add(2 * time.Minute)
	for name, c := range map[string]struct{ token, name, cluster string }{
		"used":              {token, "n2", "c1"},
		"expired":           {expired, "n2", "c1"},
		"unknown":           {"odyenrol_nonsense", "n2", "c1"},
		"another cluster's": {issue(control.NewEnrolmentToken{}), "n2", "c2"},
		"wrong case":        {strings.ToUpper(issue(control.NewEnrolmentToken{})), "n2", "c1"},
	} {
		if _, faults, err := enrol(c.token, c.name, c.cluster, "{}"); !errors.Is(err, control.ErrUnauthenticated) || len(faults) > 0 {
			t.Errorf("%s: refused %v, error %v", name, faults, err)
		}
		if e := r.audit(1)[0]; e.Accepted || !sameCodes(e.Codes, fleet.CodeUnauthenticated) {
			t.Errorf("%s: audited %+v", name, e)
		}
	}
	good := issue(control.NewEnrolmentToken{Uses: ptr(2)})
	if _, faults, err := enrol(good, "n1", "c1", "{}"); err != nil || !sameCodes(faults.Codes(), fleet.CodeAlreadyExists) || faults[0].Field != "name" {
		t.Errorf("taken: refused %+v, error %v", faults, err)
	}
	for _, name := range []string{"n2", "n3"} { // a refused enrolment used nothing up
		_, faults, err := enrol(good, name, "c1", "{}")
		r.must(faults, err)
	}
	if _, _, err := enrol(good, "n4", "c1", "{}"); !errors.Is(err, control.ErrUnauthenticated) {
		t.Errorf("a third use: %v", err)
	}
	missing := control.ParseBody[control.EnrolRequest](fmt.Appendf(nil, `{"token": %q, "name": "N 5", "cluster": "c1", "labls": {}}`, issue(control.NewEnrolmentToken{})), fleet.FormatJSON)
	_, faults, err = r.Enrol(r.ctx, missing, "192.0.2.9")
	if want := []fleet.Code{fleet.CodeNameInvalid, fleet.CodeUnknownField, fleet.CodeRequired, fleet.CodeRequired, fleet.CodeRequired}; err != nil || !slices.Equal(sorted(faults.Codes()), sorted(want)) {
		t.Errorf("refused %+v, error %v", faults, err)
	}
}

func sorted(codes []fleet.Code) []fleet.Code { return slices.Sorted(slices.Values(codes)) }

func TestOneTokenMakesOneNodeHoweverManyAsk(t *testing.T) {
	r := newRig(t)
	r.cluster("c1")
	w, faults, err := r.CreateEnrolmentToken(r.ctx, root, "c1", control.Body[control.NewEnrolmentToken]{}, nothing)
	r.must(faults, err)
	var wait sync.WaitGroup
	var enrolled atomic.Int64
	for i := range 20 {
		wait.Go(func() {
			_, faults, err := r.Enrol(r.ctx, enrolBody(w.Object.Secret, fmt.Sprintf("n%d", i), "c1", "{}"), fmt.Sprintf("192.0.2.%d", i))
			if err == nil && len(faults) == 0 {
				enrolled.Add(1)
			}
		})
	}
	wait.Wait()
	if n := enrolled.Load(); n != 1 {
		t.Errorf("%d enrolled", n)
	}
}

func TestACredentialIsOneNodesAndOfOneKind(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.cluster("c1")
	issued, faults, err := r.CreateEnrolmentToken(r.ctx, root, "c1", control.Body[control.NewEnrolmentToken]{Value: control.NewEnrolmentToken{Uses: ptr(2)}}, nothing)
	r.must(faults, err)
	done, faults, err := r.Enrol(r.ctx, enrolBody(issued.Object.Secret, "n1", "c1", "{}"), "")
	r.must(faults, err)
	api, faults, err := r.CreateToken(r.ctx, root, "acme", control.Body[control.NewToken]{Value: control.NewToken{Name: "ci", Role: "editor"}}, nothing)
	r.must(faults, err)
	for name, c := range map[string]struct {
		bearer string
		want   error
	}{
		"its own":            {done.Credential, nil},
		"nothing":            {"", control.ErrUnauthenticated},
		"nonsense":           {"nonsense", control.ErrUnauthenticated},
		"an API token":       {api.Object.Secret, control.ErrForbidden},
		"an enrolment token": {issued.Object.Secret, control.ErrForbidden},
	} {
		for range 2 {
			a, err := r.AuthenticateAgent(r.ctx, c.bearer, "192.0.2.9")
			if !errors.Is(err, c.want) || err == nil && a != (control.Agent{Node: "n1", Address: "192.0.2.9"}) {
				t.Errorf("%s: %+v, %v", name, a, err)
			}
		}
	}
	if _, err := r.Authenticate(r.ctx, done.Credential, ""); !errors.Is(err, control.ErrUnauthenticated) {
		t.Errorf("a node's credential at the API: %v", err)
	}
	_, faults, err = r.DeleteNode(r.ctx, root, "n1", nothing)
	r.must(faults, err)
	if _, err := r.AuthenticateAgent(r.ctx, done.Credential, ""); !errors.Is(err, control.ErrUnauthenticated) {
		t.Errorf("revoked: %v", err)
	}
	if _, err := r.report(control.Agent{Node: "n1"}, "{}"); !errors.Is(err, control.ErrUnauthenticated) {
		t.Errorf("a report of a deleted node: %v", err)
	}
	if _, err := r.Assignments(r.ctx, control.Agent{Node: "n1"}, 0, 0); !errors.Is(err, control.ErrUnauthenticated) {
		t.Errorf("assignments of a deleted node: %v", err)
	}
}
