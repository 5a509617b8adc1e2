package control_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"odysseus/control"
	"odysseus/db"
	"odysseus/fleet"
)

// pods stores a workload of acme with a pod template of the given containers, and assigns one replica of it to the node,
// as the scheduler would. It answers the row's ID.
func (r *rig) pods(node, apiVersion, kind, policy string, containers ...string) string {
	r.t.Helper()
	var list []string
	for _, name := range containers {
		list = append(list, fmt.Sprintf(`{"name": %q, "image": "registry.example/%s:1"}`, name, name))
	}
	object := fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "metadata": {"name": "shop"}, "spec": {"template": {"spec": {"restartPolicy": %q, "containers": [%s]}}}}`,
		apiVersion, kind, policy, strings.Join(list, ", "))
	s := fleet.StoredResource{
		Resource: fleet.Resource{APIVersion: apiVersion, Kind: kind, Namespace: "acme", Name: "shop", Object: json.RawMessage(object)},
		Tenant:   "acme", UID: "uid-" + strings.ToLower(kind), Generation: 1, Revision: 1, TemplateRevision: 1, CreationTimestamp: r.clock.now(),
	}
	if err := r.store.Update(r.ctx, func(tx control.Writer) (err error) {
		s, err = tx.InsertResource(r.ctx, s)
		return err
	}); err != nil {
		r.t.Fatal(err)
	}
	id := s.UID + "-1"
	held, err := r.db.Commit(r.ctx, []fleet.Decision{{
		Ref: fleet.Ref{Tenant: "acme", Namespace: "acme", Name: "shop"}, Resource: true, DeploymentUID: s.UID, Generation: 1,
		Assign: []fleet.Container{{ID: id, Tenant: "acme", Namespace: "acme", Deployment: "shop", DeploymentUID: s.UID, Revision: 1, Replica: 1,
			Node: node, Requests: fleet.Amount{Slots: int64(len(containers))}, State: fleet.StateAssigned, CreatedAt: r.clock.now()}},
	}})
	if err != nil || !held[0] {
		r.t.Fatalf("commit: %v, %v", held, err)
	}
	return id
}

// row of the node's only replica.
func (r *rig) row(node string) fleet.Container {
	r.t.Helper()
	containers, err := r.NodeContainers(r.ctx, root, node)
	if err != nil || len(containers) != 1 {
		r.t.Fatalf("containers %+v, %v", containers, err)
	}
	return containers[0]
}

// eventsOf a workload, oldest first: type, kind, reason, container and message of each.
func (r *rig) eventsOf(uid string) []string {
	r.t.Helper()
	var out []string
	if err := r.store.View(r.ctx, func(tx control.Reader) error {
		events, _, err := tx.Events(r.ctx, "acme", uid, all)
		for _, e := range slices.Backward(events) {
			out = append(out, strings.Join([]string{e.Type, e.Kind, e.Reason, e.Args["Container"], e.Args["Message"]}, " "))
		}
		return err
	}); err != nil {
		r.t.Fatal(err)
	}
	return out
}

func (r *rig) says(a control.Agent, containers ...string) (fleet.FieldErrors, error) {
	return r.Report(r.ctx, a, fmt.Appendf(nil, `{"containers": [%s]}`, strings.Join(containers, ", ")), fleet.FormatJSON)
}

func TestAReplicaIsWhatItsContainersComeToTogether(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.cluster("c1")
	a := r.node("n1", "c1", "CA", "")
	id := r.pods("n1", "apps/v1", "Deployment", "Always", "web", "log")
	said := func(name, state, message string, restarts int, minute int) string {
		return fmt.Sprintf(`{"id": %q, "state": %q, "message": %q, "restarts": %d, "startedAt": "2026-01-01T00:%02d:00Z"}`, id+"."+name, state, message, restarts, minute)
	}
	at := func(minute int) time.Time { return time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC) }
	for _, s := range []struct {
		name     string
		said     []string
		state    fleet.ContainerState
		message  string
		restarts int
		started  time.Time
		parts    map[string]fleet.ContainerState
		events   []string
	}{
		{"one is named", []string{said("web", "running", "", 0, 1)}, "assigned", "", 0, at(1),
			map[string]fleet.ContainerState{"web": "running", "log": "assigned"}, []string{"Normal Deployment Started web "}},
		{"both run", []string{said("log", "running", "", 1, 2), said("web", "running", "", 2, 1)}, "running", "", 3, at(2),
			map[string]fleet.ContainerState{"web": "running", "log": "running"}, []string{"Normal Deployment Started log "}},
		{"one restarted", []string{said("log", "running", "", 1, 2), said("web", "running", "", 3, 3)}, "running", "", 4, at(3),
			map[string]fleet.ContainerState{"web": "running", "log": "running"}, nil},
		{"one starts again", []string{said("log", "starting", "", 1, 2), said("web", "running", "", 3, 3)}, "starting", "", 4, at(3),
			map[string]fleet.ContainerState{"web": "running", "log": "starting"}, nil},
		{"one is ill", []string{said("log", "starting", "", 1, 2), said("web", "unhealthy", "check fails", 3, 3)}, "unhealthy", "web: check fails", 4, at(3),
			map[string]fleet.ContainerState{"web": "unhealthy", "log": "starting"}, []string{"Warning Deployment Unhealthy web check fails"}},
		{"one is ill and one ended", []string{said("log", "exited", "exit code 0", 1, 2), said("web", "unhealthy", "check fails", 3, 3)}, "exited", "log: exit code 0", 4, at(3),
			map[string]fleet.ContainerState{"web": "unhealthy", "log": "exited"}, []string{"Warning Deployment Exited log exit code 0"}},
		{"one cannot start", []string{said("log", "exited", "exit code 0", 1, 2), said("web", "failed", "no image", 3, 3)}, "failed", "web: no image", 4, at(3),
			map[string]fleet.ContainerState{"web": "failed", "log": "exited"}, []string{"Warning Deployment Failed web no image"}},
		{"both run again", []string{said("log", "running", "", 2, 4), said("web", "running", "", 4, 4)}, "running", "", 6, at(4),
			map[string]fleet.ContainerState{"web": "running", "log": "running"}, []string{"Normal Deployment Started log ", "Normal Deployment Started web "}},
		{"one is left out", []string{said("web", "running", "", 4, 4)}, "exited", "", 6, at(4),
			map[string]fleet.ContainerState{"web": "running", "log": "exited"}, []string{"Warning Deployment Exited log "}},
		{"it stays left out", []string{said("web", "running", "fine", 4, 4)}, "exited", "", 6, at(4),
			map[string]fleet.ContainerState{"web": "running", "log": "exited"}, nil},
		{"both are left out", []string{}, "exited", "", 6, time.Time{},
			map[string]fleet.ContainerState{"web": "exited", "log": "exited"}, []string{"Warning Deployment Exited web "}},
		{"all stopped", []string{said("log", "stopped", "", 0, 4), said("web", "stopped", "", 0, 4)}, "stopped", "", 0, at(4),
			map[string]fleet.ContainerState{"web": "stopped", "log": "stopped"}, []string{"Normal Deployment Stopped log ", "Normal Deployment Stopped web "}},
	} {
		seen := len(r.eventsOf("uid-deployment"))
		faults, err := r.says(a, s.said...)
		r.must(faults, err)
		row := r.row("n1")
		parts := map[string]fleet.ContainerState{}
		for name, p := range row.Parts {
			parts[name] = p.State
		}
		if row.ID != id || row.State != s.state || row.Message != s.message || row.Restarts != s.restarts || !row.StartedAt.Equal(s.started) || !maps.Equal(parts, s.parts) {
			t.Errorf("%s: the row is %+v, want %+v", s.name, row, s)
		}
		events := r.eventsOf("uid-deployment")
		if len(events) < seen || !slices.Equal(events[seen:], s.events) {
			t.Errorf("%s: events %q, want %q", s.name, events[min(seen, len(events)):], s.events)
		}
	}
}

func TestOnlyTheContainersOfAReplicaAreItsOwn(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.cluster("c1")
	a := r.node("n1", "c1", "CA", "")
	several := r.pods("n1", "apps/v1", "Deployment", "Always", "web", "log")
	one := r.pods("n1", "batch/v1", "Job", "Never", "main")
	ours := r.create(acme, "acme", resident())
	r.settle()
	list, err := r.Assignments(r.ctx, a, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range list.Containers {
		ids = append(ids, c.ID)
	}
	uid := ours.Object.Metadata.UID
	want := []string{several + ".log", several + ".web", one, uid + "-1", uid + "-2"}
	slices.Sort(want)
	if !slices.Equal(ids, want) {
		t.Fatalf("listed %v, want %v", ids, want)
	}
	running := func(id string) string { return fmt.Sprintf(`{"id": %q, "state": "running"}`, id) }
	r.must(r.says(a, running(several+".web")))
	for name, id := range map[string]string{
		"no container of it":             several + ".db",
		"the replica":                    several,
		"an empty name":                  several + ".",
		"a name of the only one":         one + ".main",
		"a name of a Deployment of ours": uid + "-1.web",
		"nobody's":                       "x-1.web",
	} {
		faults, err := r.says(a, running(several+".web"), running(id))
		if err != nil || len(faults) != 1 || faults[0].Code != fleet.CodeContainerUnknown || faults[0].Field != "containers[1].id" || faults[0].Value != id {
			t.Errorf("%s: %+v, %v", name, faults, err)
		}
	}
	r.must(r.says(a, running(several+".web"), running(several+".log"), running(one), running(uid+"-1"), running(uid+"-2")))
}

func TestAJobThatEndsWellIsNoWarning(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.cluster("c1")
	a := r.node("n1", "c1", "CA", "")
	id := r.pods("n1", "batch/v1", "Job", "Never", "main")
	for _, code := range []int{0, 1} {
		r.must(r.says(a, fmt.Sprintf(`{"id": %q, "state": "running"}`, id)))
		r.must(r.says(a, fmt.Sprintf(`{"id": %q, "state": "exited", "message": "exit code %d"}`, id, code)))
	}
	want := []string{"Normal Job Started  ", "Normal Job Exited  exit code 0", "Normal Job Started  ", "Warning Job Exited  exit code 1"}
	if got := r.eventsOf("uid-job"); !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
	if row := r.row("n1"); row.Parts != nil || row.State != fleet.StateExited || row.Message != "exit code 1" {
		t.Errorf("the row is %+v", row)
	}
}

// stopping marks the replica as to be stopped, and takes its workload away where gone says so.
func (r *rig) stopping(id string, gone bool) {
	r.t.Helper()
	uid := id[:strings.LastIndexByte(id, '-')]
	if err := r.db.Update(r.ctx, func(tx *db.Tx) error {
		if gone {
			return tx.DeleteResource(r.ctx, "acme", uid)
		}
		return nil
	}); err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.db.Commit(r.ctx, []fleet.Decision{{DeploymentUID: uid, Resource: true, Generation: 1, Deleted: gone, Stop: []string{id}}}); err != nil {
		r.t.Fatal(err)
	}
}

func TestAReplicaIsGoneWhenItsLastContainerIs(t *testing.T) {
	for name, gone := range map[string]bool{"stopped": false, "its workload deleted": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.tenants("acme")
			r.cluster("c1")
			a := r.node("n1", "c1", "CA", "")
			id := r.pods("n1", "apps/v1", "Deployment", "Always", "web", "log")
			said := func(states ...string) string {
				return fmt.Sprintf(`{"id": %q, "state": %q}, {"id": %q, "state": %q}`, id+".log", states[0], id+".web", states[1])
			}
			r.must(r.says(a, said("running", "running")))
			r.stopping(id, gone)
			list, err := r.Assignments(r.ctx, a, 0, 0)
			if err != nil || len(list.Containers) != 2 || list.Containers[0].ID != id+".log" || !list.Containers[0].Stop || list.Containers[1].ID != id+".web" || !list.Containers[1].Stop {
				t.Fatalf("listed %+v, %v", list.Containers, err)
			}
			var got []bool
			for _, states := range [][]string{{"running", "exited"}, {"starting", "stopped"}, {"exited", "stopped"}, {"stopped", "stopped"}} {
				r.must(r.says(a, said(states...)))
				got = append(got, r.row("n1").Gone())
			}
			if want := []bool{false, false, true, true}; !reflect.DeepEqual(got, want) {
				t.Errorf("gone %v, want %v", got, want)
			}
		})
	}
}

func TestAReplicaWhoseWorkloadIsGoneBeforeItsFirstReport(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.cluster("c1")
	a := r.node("n1", "c1", "CA", "")
	id := r.pods("n1", "apps/v1", "Deployment", "Always", "web", "log")
	r.stopping(id, true)
	r.must(r.says(a, fmt.Sprintf(`{"id": %q, "state": "running"}`, id+".web")))
	if row := r.row("n1"); row.State != fleet.StateRunning || len(row.Parts) != 1 || row.Gone() {
		t.Errorf("the row is %+v", row)
	}
	list, err := r.Assignments(r.ctx, a, 0, 0)
	if err != nil || len(list.Containers) != 1 || list.Containers[0].ID != id+".web" || !list.Containers[0].Stop {
		t.Errorf("listed %+v, %v", list.Containers, err)
	}
}
