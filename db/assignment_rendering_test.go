package db_test

import (
	"context"
	"testing"

	"odysseus/db"
	"odysseus/fleet"
)

func TestAssignmentsOfRenderingsAreWhatOverridesMade(t *testing.T) {
	r := newRig(t)
	stored := r.store(configMap("acme", "cm", `{"data":{"host":"shop.example"}}`), twoContainers(),
		resource("acme", "batch/v1", "Job", "once", `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"once"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"registry.example/job:1"}]}}}}`))
	shop, once := stored[1], stored[2]
	d := r.insert(deployment("acme", "web"))[0]
	uid := d.Metadata.UID
	r.commit(decision(d, func(x *fleet.Decision) {
		x.Renderings = []fleet.Rendering{rendering(uid, 1, "canada", overridden("mirror.example/web:1", 3600)), rendering(uid, 2, "canada",
			`{"apiVersion":"odysseus/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"image":"mirror.example/web:2"}}`)}
		x.Assign = []fleet.Container{rendered(container(d, 1, "n0"), 1), container(d, 2, "n0"), rendered(container(d, 3, "n0"), 1), rendered(container(d, 4, "n0"), 2)}
	}), about(shop, func(x *fleet.Decision) {
		x.Renderings = []fleet.Rendering{rendering(shop.UID, 1, "canada", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"shop"},"spec":{"template":{"spec":{
			"terminationGracePeriodSeconds":9,"containers":[{"name":"web","image":"mirror.example/web:1"},{"name":"proxy","image":"mirror.example/proxy:1"}]}}}}`)}
		x.Assign = []fleet.Container{rendered(replica(shop, 1, "n1"), 1)}
	}), about(once, func(x *fleet.Decision) {
		x.Renderings = []fleet.Rendering{rendering(once.UID, 5, "canada", `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"once"},"spec":{"template":{"spec":{"restartPolicy":"OnFailure","containers":[{"name":"main","image":"mirror.example/job:1"}]}}}}`)}
		x.Assign = []fleet.Container{rendered(replica(once, 1, "n1"), 5)}
	}))
	r.commit(decision(d, func(x *fleet.Decision) { x.Stop = []string{container(d, 3, "").ID} }))

	running := fleet.Assignment{
		ID: uid + "-1", Namespace: "acme", Deployment: "web", Revision: 1, Replica: 1, Image: "mirror.example/web:1", Args: []string{"--canada"},
		Env:           []fleet.EnvVar{{Name: "HOST", Value: "shop.example"}},
		Resources:     &fleet.Resources{Limits: &fleet.ResourceList{CPU: "2"}},
		RestartPolicy: fleet.RestartAlways, TerminationGracePeriodSeconds: 3600,
	}
	bare := func(n int, image string) fleet.Assignment {
		return fleet.Assignment{ID: container(d, n, "").ID, Namespace: "acme", Deployment: "web", Revision: 1, Replica: n, Image: image,
			RestartPolicy: fleet.RestartAlways, TerminationGracePeriodSeconds: fleet.DefaultGrace}
	}
	stopping := func(n, grace int) fleet.Assignment {
		return fleet.Assignment{ID: container(d, n, "").ID, Namespace: "acme", Deployment: "web", Revision: 1, Replica: n, TerminationGracePeriodSeconds: grace, Stop: true}
	}
	same(t, "a Deployment's", r.assignments("n0").Containers, []fleet.Assignment{
		running, bare(2, "registry.example/web:1"), stopping(3, 3600), bare(4, "mirror.example/web:2"),
	})
	part := func(name, image string) fleet.Assignment {
		return fleet.Assignment{ID: shop.UID + "-1." + name, Namespace: "acme", Deployment: "shop", Revision: 1, Replica: 1, Image: image,
			RestartPolicy: fleet.RestartAlways, TerminationGracePeriodSeconds: 9}
	}
	job := fleet.Assignment{ID: once.UID + "-1", Namespace: "acme", Deployment: "once", Revision: 1, Replica: 1, Image: "mirror.example/job:1",
		RestartPolicy: fleet.RestartOnFailure, TerminationGracePeriodSeconds: 30}
	same(t, "pod templates'", r.assignments("n1").Containers, []fleet.Assignment{part("proxy", "mirror.example/proxy:1"), part("web", "mirror.example/web:1"), job})

	// It runs the same whatever revision it satisfies.
	r.commit(decision(d, func(x *fleet.Decision) { x.Adopt = []fleet.Adoption{{ID: uid + "-1", Revision: 1}} }))
	r.update(func(ctx context.Context, tx *db.Tx) error {
		next := d
		next.Metadata.Generation, next.Revision, next.Spec.Image = 2, 2, "registry.example/web:9"
		return second(tx.UpdateDeployment(ctx, next, ""))
	})
	d.Metadata.Generation = 2
	r.commit(decision(d, func(x *fleet.Decision) { x.Adopt = []fleet.Adoption{{ID: uid + "-1", Revision: 2}} }))
	running.Revision = 2
	same(t, "adopted", r.assignments("n0").Containers[0], running)

	// Of a workload that is gone its rendering still says what its containers are, and how long they may take.
	r.update(func(ctx context.Context, tx *db.Tx) error {
		is(t, "delete", tx.DeleteResource(ctx, "acme", shop.UID), nil)
		return tx.DeleteDeployment(ctx, "acme", uid)
	})
	one := stopping(1, 3600)
	one.Revision = 2
	same(t, "a Deployment that is gone", r.assignments("n0").Containers, []fleet.Assignment{one, stopping(2, 0), stopping(3, 3600), stopping(4, fleet.DefaultGrace)})
	gone := func(name string) fleet.Assignment {
		return fleet.Assignment{ID: shop.UID + "-1." + name, Namespace: "acme", Deployment: "shop", Revision: 1, Replica: 1, TerminationGracePeriodSeconds: 9, Stop: true}
	}
	same(t, "a pod template that is gone", r.assignments("n1").Containers, []fleet.Assignment{gone("proxy"), gone("web"), job})
}

// "The un-overridden form is never sent": where what a container runs is lost, so is the list.
func TestAssignmentsNeverFallBackToTheUnoverriddenForm(t *testing.T) {
	for name, statement := range map[string]string{
		"lost":                 "DELETE FROM renderings",
		"no JSON":              "UPDATE renderings SET object = 'x'",
		"several":              "UPDATE renderings SET object = '{} {}'",
		"of a kind that isn't": `UPDATE renderings SET object = '{"kind":7}'`,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.insert(deployment("acme", "web"))[0]
			r.commit(decision(d, func(x *fleet.Decision) {
				x.Renderings, x.Assign = []fleet.Rendering{rendering("", 1, "", overridden("mirror.example/web:1", 1))}, []fleet.Container{rendered(container(d, 1, "n0"), 1)}
			}))
			same(t, "before", len(r.assignments("n0").Containers), 1)
			r.tamper(statement)
			r.view(func(ctx context.Context, tx *db.Tx) error {
				list, err := tx.Assignments(ctx, "n0")
				if err == nil || list.Containers != nil {
					t.Errorf("listed %+v", list)
				}
				return nil
			})
		})
	}
}

func TestContainersOfARenderedReplica(t *testing.T) {
	r := newRig(t)
	s := r.store(twoContainers())[0]
	r.commit(about(s, func(x *fleet.Decision) {
		x.Renderings = []fleet.Rendering{
			rendering("", 1, "", `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"b","image":"b"},{"name":"a","image":"a"}]}}}}`),
			rendering("", 2, "", `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"b","image":"b"}]}}}}`),
			rendering("", 3, "", overridden("a", 1)),
		}
	}))
	r.view(func(ctx context.Context, tx *db.Tx) error {
		for number, want := range map[int64][]string{1: {"b", "a"}, 2: nil, 3: nil} {
			names, err := tx.RenderedContainers(ctx, s.UID, number)
			same(t, "names", names, want)
			is(t, "names", err, nil)
		}
		is(t, "one that is not kept", second(tx.RenderedContainers(ctx, s.UID, 4)), fleet.ErrNotFound)
		is(t, "none", second(tx.RenderedContainers(ctx, s.UID, 0)), fleet.ErrNotFound)
		return nil
	})
}
