package db_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"odysseus/db"
	"odysseus/fleet"
)

// firstSchema is what a control plane of the first schema has stored.
const firstSchema = `
INSERT INTO tenants VALUES ('acme', 'Acme', 1000);
INSERT INTO namespaces VALUES ('acme', 'acme', 1000);
INSERT INTO clusters VALUES ('canada', 'agents', '{}', 1, 1, 1000);
INSERT INTO nodes VALUES ('n0', 'canada', 'simulated', 'hash', 4000, 1024, 100, 0, NULL, 2, 1000, '{}', NULL);
INSERT INTO node_assignments VALUES ('n0', 3);
INSERT INTO deployments VALUES ('uid', 'acme', 'acme', 'web', 4, 2, 2, 1, 1000, 'PartlyPlaced', 2, 1, 1, 1, 2000, 2, 'moon', 5,
	'CA', '', 1, '{"app":"web"}', '{}', '{"a":"b"}', '{"image":"web:2","replicas":2}');
INSERT INTO revisions VALUES (1, 'uid', 1, 1000, 'ann', '{"image":"web:1"}'), (2, 'uid', 2, 1500, 'bob', '{"image":"web:2","replicas":2}');
INSERT INTO containers VALUES ('uid', 'uid-5', 'acme', 'acme', 'web', 'n0', 1, 0, 250, 512, 1, 'running', 'up', 3, 1800, 0, 1700);
INSERT INTO events VALUES (7, 'uid', 1900, 'acme', 'Deployment', 'acme', 'web', 'uid', 'Normal', 'Scheduled', '{"a":"b"}', 4),
	(9, 'Node//n0', 1901, NULL, 'Node', '', 'n0', '', 'Normal', 'Enrolled', '{}', 1);
UPDATE store SET sequence = 40, written_at = 3000;`

func TestDatabaseOfTheFirstSchemaIsMigratedWithWhatItHolds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odysseus.db")
	write(t, path, nil)
	is(t, "make", db.MigrateTo(t.Context(), path, 1), nil)
	inFileDo(t, path, firstSchema)
	r := openRig(t, path, db.Options{})
	ms := func(n int64) time.Time { return time.UnixMilli(n).UTC() }
	two := 2
	d := fleet.Deployment{
		APIVersion: fleet.APIVersion, Kind: fleet.KindDeployment, Tenant: "acme", Revision: 2, TemplateRevision: 1, LastContainer: 5,
		Metadata:        fleet.Metadata{Name: "web", Namespace: "acme", UID: "uid", ResourceVersion: "4", Generation: 2, CreationTimestamp: at(ms(1000)), Labels: map[string]string{"app": "web"}},
		Spec:            fleet.DeploymentSpec{Image: "web:2", Replicas: &two},
		ResidencyLabels: map[string]string{"a": "b"},
		Status: &fleet.DeploymentStatus{State: fleet.PartlyPlaced, Replicas: 2, Placed: 1, Ready: 1, Drifting: 1, PendingSince: at(ms(2000)), ObservedGeneration: 2,
			Revision: 2, ResidencyLabels: map[string]string{"a": "b"}, UndeclaredRegion: "moon"},
	}
	container := fleet.Container{
		ID: "uid-5", Tenant: "acme", Namespace: "acme", Deployment: "web", DeploymentUID: "uid", Revision: 1, Node: "n0",
		Requests: fleet.Amount{MilliCPU: 250, Memory: 512, Slots: 1}, State: fleet.StateRunning, Message: "up", Restarts: 3, StartedAt: ms(1800), CreatedAt: ms(1700),
	}
	snapshot, err := r.Load(t.Context())
	is(t, "load", err, nil)
	same(t, "deployments", snapshot.Deployments, []fleet.Deployment{d})
	same(t, "containers", snapshot.Containers, []fleet.Container{container})
	same(t, "nodes", len(snapshot.Nodes), 1)
	r.view(func(ctx context.Context, tx *db.Tx) error {
		revisions, _, err := tx.Revisions(ctx, "uid", fleet.ListOptions{})
		same(t, "revisions", revisions, []fleet.Revision{
			{Number: 2, Spec: d.Spec, CreatedAt: ms(1500), Actor: "bob"}, {Number: 1, Spec: fleet.DeploymentSpec{Image: "web:1"}, CreatedAt: ms(1000), Actor: "ann"},
		})
		is(t, "revisions", err, nil)
		events, _, err := tx.Events(ctx, "acme", "uid", fleet.ListOptions{})
		same(t, "events", events, []fleet.Event{{Time: ms(1900), Tenant: "acme", Kind: "Deployment", Namespace: "acme", Name: "web", UID: "uid",
			Type: fleet.EventNormal, Reason: "Scheduled", Args: map[string]string{"a": "b"}, Count: 4}})
		is(t, "events", err, nil)
		events, _, err = tx.NodeEvents(ctx, "n0", fleet.ListOptions{})
		same(t, "node's events", events, []fleet.Event{{Time: ms(1901), Kind: "Node", Name: "n0", Type: fleet.EventNormal, Reason: "Enrolled", Count: 1}})
		is(t, "node's events", err, nil)
		listed, _, err := tx.Deployments(ctx, fleet.DeploymentFilter{Tenant: "acme", Residency: "CA", PendingFirst: true, Drifting: true}, fleet.ListOptions{})
		same(t, "found by every index", uids(listed), []string{"uid"})
		return err
	})
	// It goes on from there.
	stored := r.store(workload("acme", "new"))
	same(t, "the sequence goes on", stored[0].ResourceVersion, "41")
	r.update(func(ctx context.Context, tx *db.Tx) error {
		is(t, "an event of no tenant", tx.AppendEvent(ctx, fleet.Event{Kind: "ClusterRole", Name: "x", UID: "x", Reason: "Bound"}), nil)
		return tx.PreserveDeployment(ctx, "acme", "uid")
	})
	var verdict string
	inFile(t, path, "PRAGMA integrity_check", &verdict)
	same(t, "integrity", verdict, "ok")
	same(t, "references that lead nowhere", r.rows("pragma_foreign_key_check"), 0)
}

// secondSchema is what a control plane of the second schema has stored beside it.
const secondSchema = `
INSERT INTO policies VALUES ('p1', 'PropagationPolicy', 'acme', 'p', 'acme', 'policy.karmada.io/v1alpha1', 10, 3, 1000, '{"a":"b"}', '{}', '{"priority":-7}'),
	('p2', 'ClusterPropagationPolicy', '', 'p', NULL, 'one.alibabacloud.com/v1alpha1', 11, 1, 1000, '{}', '{}', '{}');
INSERT INTO resources VALUES ('cm', 'acme', 'acme', 'v1', 'ConfigMap', 'cm', 12, 1, 1, 1, 1000, 'Waiting', 0, 0, 0, 0, NULL, 1, '', 0, 0, 0, '{}', '{}', '{"data":{"a":"b"}}');
INSERT INTO resource_revisions VALUES (1, 'cm', 1, '{"data":{"a":"b"}}');
INSERT INTO bindings VALUES ('cm', 'PropagationPolicy', 'acme', 'p', 0, '["canada"]', ''), ('uid', '', '', '', 1, '', '[{"cluster":"canada","manual":true}]');
UPDATE containers SET parts = '{"web":{"id":"","state":"running","message":"","restarts":0,"startedAt":null}}';`

func TestDatabaseOfTheSecondSchemaIsMigratedWithWhatItHolds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odysseus.db")
	write(t, path, nil)
	is(t, "make the first", db.MigrateTo(t.Context(), path, 1), nil)
	inFileDo(t, path, firstSchema)
	is(t, "make the second", db.MigrateTo(t.Context(), path, 2), nil)
	inFileDo(t, path, secondSchema)
	r := openRig(t, path, db.Options{})
	ms := func(n int64) time.Time { return time.UnixMilli(n).UTC() }
	priority := int64(-7)
	p1 := fleet.Policy{APIVersion: fleet.PolicyAPIVersionKarmada, Kind: fleet.KindPropagationPolicy, Tenant: "acme", Spec: fleet.PropagationSpec{Priority: &priority},
		Metadata: fleet.Metadata{Name: "p", Namespace: "acme", UID: "p1", ResourceVersion: "10", Generation: 3, CreationTimestamp: at(ms(1000)), Labels: map[string]string{"a": "b"}}}
	p2 := fleet.Policy{APIVersion: fleet.PolicyAPIVersionShort, Kind: fleet.KindClusterPropagationPolicy,
		Metadata: fleet.Metadata{Name: "p", UID: "p2", ResourceVersion: "11", Generation: 1, CreationTimestamp: at(ms(1000))}}
	container := fleet.Container{
		ID: "uid-5", Tenant: "acme", Namespace: "acme", Deployment: "web", DeploymentUID: "uid", Revision: 1, Node: "n0",
		Requests: fleet.Amount{MilliCPU: 250, Memory: 512, Slots: 1}, State: fleet.StateRunning, Message: "up", Restarts: 3, StartedAt: ms(1800), CreatedAt: ms(1700),
		Parts: map[string]fleet.ContainerReport{"web": {State: fleet.StateRunning}},
	}
	ref := p1.Ref()
	bindings := map[string]fleet.Binding{"cm": {Policy: &ref, Clusters: []string{"canada"}}, "uid": {Kept: true, Failovers: []fleet.ClusterFailover{{Cluster: "canada", Manual: true}}}}
	snapshot, err := r.Load(t.Context())
	is(t, "load", err, nil)
	same(t, "policies", snapshot.Policies, []fleet.Policy{p2, p1})
	same(t, "overrides", snapshot.Overrides, []fleet.Override(nil))
	same(t, "renderings", snapshot.Renderings, []fleet.Rendering(nil))
	same(t, "containers", snapshot.Containers, []fleet.Container{container})
	same(t, "bindings", snapshot.Bindings, bindings)
	same(t, "deployments", len(snapshot.Deployments), 1)
	same(t, "resources", len(snapshot.Resources), 1)
	same(t, "runs its revision", r.assignments("n0").Containers[0].Image, "web:1")

	// It goes on from there.
	r.override(override("acme", "o"))
	bound := bindings["cm"]
	bound.Renderings, bound.LastRendering = map[string]int64{"canada": 1}, 1
	r.commit(about(snapshot.Resources[0], func(x *fleet.Decision) {
		x.Renderings, x.Binding = []fleet.Rendering{rendering("cm", 1, "canada", `{"data":{"a":"c"}}`)}, &bound
	}))
	same(t, "bound", r.binding("cm"), bound)
	same(t, "references that lead nowhere", r.rows("pragma_foreign_key_check"), 0)
}

// A new file and a migrated one have the same tables.
func TestMigratedSchemaIsThatOfANewFile(t *testing.T) {
	old := filepath.Join(t.TempDir(), "old.db")
	write(t, old, nil)
	is(t, "make", db.MigrateTo(t.Context(), old, 1), nil)
	inFileDo(t, old, firstSchema)
	migrated, fresh := openRig(t, old, db.Options{}), newRig(t)
	const schema = "SELECT group_concat(type || ' ' || name || ' ' || coalesce(sql, ''), char(10)) FROM (SELECT * FROM sqlite_schema ORDER BY type, name)"
	var got, want string
	inFile(t, migrated.path, schema, &got)
	inFile(t, fresh.path, schema, &want)
	same(t, "schema", got, want)
}
