package db_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"odysseus/db"
	"odysseus/fleet"
)

// envOf the only container of a node.
func (r *rig) envOf(node string) map[string]string {
	r.Helper()
	list := r.assignments(node).Containers
	if len(list) != 1 {
		r.Fatalf("node %s is assigned %+v", node, list)
	}
	env := map[string]string{}
	for _, e := range list[0].Env {
		env[e.Name] = e.Value
	}
	return env
}

// configured is a rig with a workload of two replicas, one in canada (n0) and one in the cluster (x0) of that name, which
// make variables of all that ConfigMap cm and Secret s hold.
func configured(t *testing.T, cluster string) (r *rig, cm, s fleet.StoredResource) {
	t.Helper()
	r = newRig(t)
	r.cluster(cluster, "x0")
	stored := r.store(configMap("acme", "cm", `{"data":{"host":"shop.example","mode":"fast"},"binaryData":{"b":"`+encoded("no variable")+`"}}`),
		secret("acme", "s", `{"data":{"token":"`+encoded("ours")+`","user":"`+encoded("ann")+`"}}`))
	d := r.insert(deployment("acme", "web", func(d *fleet.Deployment) {
		d.Spec.EnvFrom = []fleet.EnvFromSource{{ConfigMapRef: &fleet.NameSelector{Name: "cm"}}, {SecretRef: &fleet.NameSelector{Name: "s"}}}
	}))[0]
	r.commit(decision(d, func(x *fleet.Decision) { x.Assign = []fleet.Container{container(d, 1, "n0"), container(d, 2, "x0")} }))
	return r, stored[0], stored[1]
}

// Names that a JSON path would read otherwise.
func TestEnvironmentIsOfTheRenderingForTheNodesCluster(t *testing.T) {
	for _, cluster := range []string{"europe", "eu-west-1", "7", "0x1"} {
		t.Run(cluster, func(t *testing.T) {
			r, cm, s := configured(t, cluster)
			plain := map[string]string{"host": "shop.example", "mode": "fast", "token": "ours", "user": "ann"}
			same(t, "in canada", r.envOf("n0"), plain)
			same(t, "in the other", r.envOf("x0"), plain)

			r.commit(about(cm, func(x *fleet.Decision) {
				x.Renderings = []fleet.Rendering{rendering("", 1, "canada", `{"data":{"host":"canada.example","x":"y"},"binaryData":{"b":"`+encoded("no variable")+`"}}`), rendering("", 2, cluster, `{"data":{"host":"other.example"}}`)}
				x.Binding = &fleet.Binding{Renderings: map[string]int64{cluster: 2}, LastRendering: 2}
			}), about(s, func(x *fleet.Decision) {
				x.Renderings = []fleet.Rendering{rendering("", 1, cluster, `{"data":{"token":"`+encoded("theirs")+`","user":"\u003chidden\u003e","gone":"<hidden>","none":null}}`)}
				x.Binding = &fleet.Binding{Renderings: map[string]int64{cluster: 1}, LastRendering: 1}
			}))
			same(t, "in canada still", r.envOf("n0"), plain)
			same(t, "in the other", r.envOf("x0"), map[string]string{"host": "other.example", "token": "theirs", "user": "ann"})

			r.commit(about(cm, func(x *fleet.Decision) {
				x.Binding = &fleet.Binding{Renderings: map[string]int64{"canada": 1}, LastRendering: 2}
			}))
			same(t, "in canada now", r.envOf("n0"), map[string]string{"host": "canada.example", "x": "y", "token": "ours", "user": "ann"})
			same(t, "in the other no more", r.envOf("x0"), map[string]string{"host": "shop.example", "mode": "fast", "token": "theirs", "user": "ann"})

			// What overrides did not set is what the Secret holds today.
			s.Object, s.Generation = []byte(`{"data":{"user":"`+encoded("bob")+`","gone":"`+encoded("back")+`"}}`), 2
			r.change(s)
			same(t, "in the other, of a changed Secret", r.envOf("x0"), map[string]string{"host": "shop.example", "mode": "fast", "token": "theirs", "user": "bob", "gone": "back"})
			same(t, "in canada, of a changed Secret", r.envOf("n0"), map[string]string{"host": "canada.example", "x": "y", "user": "bob", "gone": "back"})

			r.update(func(ctx context.Context, tx *db.Tx) error { return tx.PreserveResource(ctx, "acme", cm.UID) })
			same(t, "of one that was deleted and stays", r.envOf("n0")["host"], "canada.example")
		})
	}
}

func TestEnvironmentNeverFallsBackToTheUnoverriddenForm(t *testing.T) {
	r, cm, _ := configured(t, "europe")
	r.commit(about(cm, func(x *fleet.Decision) {
		x.Renderings = []fleet.Rendering{rendering("", 1, "canada", `{}`)}
		x.Binding = &fleet.Binding{Renderings: map[string]int64{"canada": 1}, LastRendering: 1}
	}))
	same(t, "without data", r.envOf("n0"), map[string]string{"token": "ours", "user": "ann"})
	r.tamper("DELETE FROM renderings")
	r.view(func(ctx context.Context, tx *db.Tx) error {
		is(t, "lost", second(tx.Assignments(ctx, "n0")), fleet.ErrNotFound)
		is(t, "another cluster's", second(tx.Assignments(ctx, "x0")), nil)
		return nil
	})
}

func TestValuesThatOverridesSetInSecretsAreSealed(t *testing.T) {
	r := newRig(t)
	s := r.store(secret("acme", "db", `{"data":{"a":"`+encoded(hush[0])+`"}}`))[0]
	object := `{"kind":"Secret","data":{"a":"\u003chidden\u003e","b":"` + encoded(hush[1]) + `","n":{"deep":"` + hush[2] + `"},"none":null},"stringData":"` + hush[3] + `","type":"Opaque"}`
	plain := configMap("acme", "cm", `{}`)
	r.store(plain)
	r.commit(about(s, func(x *fleet.Decision) { x.Renderings = []fleet.Rendering{rendering(s.UID, 3, "canada", object)} }),
		about(plain, func(x *fleet.Decision) {
			x.Renderings = []fleet.Rendering{rendering(plain.UID, 1, "canada", `{"data":{"a":"seen"}}`)}
		}))
	var stored string
	inFile(t, r.path, "SELECT object FROM renderings WHERE number = 3", &stored)
	if !strings.HasPrefix(stored, `{"kind":"Secret","data":{"a":"\u003chidden\u003e","b":"`) || !strings.HasSuffix(stored, `"type":"Opaque"}`) {
		t.Errorf("stored %s", stored)
	}
	inFile(t, r.path, "SELECT object FROM renderings WHERE number = 1", &stored)
	same(t, "a ConfigMap's", stored, `{"data":{"a":"seen"}}`)
	snapshot, err := r.Load(t.Context())
	is(t, "load", err, nil)
	same(t, "as handed over", snapshot.Renderings, []fleet.Rendering{rendering(plain.UID, 1, "canada", `{"data":{"a":"seen"}}`), rendering(s.UID, 3, "canada", object)})
	copied := filepath.Join(filepath.Dir(r.path), "copy.db")
	is(t, "backup", r.Backup(t.Context(), copied), nil)
	inTheFiles(t, filepath.Dir(r.path), hush...)
	is(t, "close", r.Close(), nil)
	inTheFiles(t, filepath.Dir(r.path), hush...)
}

// As a Secret's own values, those of its renderings open in their place alone.
func TestSealedValueOfARenderingOpensInItsPlaceAlone(t *testing.T) {
	for name, statement := range map[string]string{
		"under another key":     `UPDATE renderings SET object = json_object('data', json_object('b', object ->> '$.data.a'))`,
		"in another rendering":  `UPDATE renderings SET object = (SELECT object FROM renderings WHERE number = 2) WHERE number = 1`,
		"in the Secret itself":  `UPDATE resources SET object = (SELECT object FROM renderings WHERE number = 1)`,
		"of the Secret itself":  `UPDATE renderings SET object = (SELECT object FROM resources)`,
		"in the clear":          `UPDATE renderings SET object = '{"data":{"a":"b25l"}}'`,
		"with a byte of it cut": `UPDATE renderings SET object = json_object('data', json_object('a', substr(object ->> '$.data.a', 5)))`,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			s := r.store(secret("acme", "s", `{"data":{"a":"b25l"}}`))[0]
			r.commit(about(s, func(x *fleet.Decision) {
				x.Renderings = []fleet.Rendering{rendering("", 1, "canada", `{"data":{"a":"dHdv"}}`), rendering("", 2, "canada", `{"data":{"a":"dHdv"}}`)}
				x.Binding = &fleet.Binding{Renderings: map[string]int64{"canada": 1}, LastRendering: 2}
			}))
			r.view(func(ctx context.Context, tx *db.Tx) error {
				got, ok, err := tx.ConfigData(ctx, "acme", "acme", "Secret", "s")
				same(t, "before", got, map[string]string{"a": "two"})
				same(t, "before", ok, true)
				return err
			})
			r.tamper(statement)
			r.view(func(ctx context.Context, tx *db.Tx) error {
				got, ok, err := tx.ConfigData(ctx, "acme", "acme", "Secret", "s")
				if err == nil || ok || got != nil {
					t.Errorf("got %v, %v", got, ok)
				}
				return nil
			})
		})
	}
}
