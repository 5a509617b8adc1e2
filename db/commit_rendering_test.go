package db_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"odysseus/db"
	"odysseus/fleet"
)

func TestCommitStoresRenderingsAndWhatRunsThem(t *testing.T) {
	r := newRig(t)
	d, s := r.insert(deployment("acme", "web"))[0], r.store(configMap("acme", "cm", `{"data":{"a":"1"}}`))[0]
	one, two := rendering(d.Metadata.UID, 1, "canada", `{"z":18446744073709551615,"a":null,"h":"<&>"}`), rendering(d.Metadata.UID, 2, "", `{}`)
	read := rendering(s.UID, 7, "canada", `{"data":{"a":"2"}}`)
	bound := fleet.Binding{Clusters: []string{"canada", "europe"}, Renderings: map[string]int64{"canada": 7}, LastRendering: 7}
	assigned := []fleet.Container{rendered(container(d, 1, "n0"), 1), rendered(container(d, 2, "n1"), 2), container(d, 3, "n0")}
	r.commit(decision(d, func(x *fleet.Decision) {
		x.Renderings, x.Assign = []fleet.Rendering{one, two}, assigned
		x.Binding = &fleet.Binding{LastRendering: 2}
	}), about(s, func(x *fleet.Decision) { x.Renderings, x.Binding = []fleet.Rendering{read}, &bound }))
	same(t, "containers", r.containers(d.Metadata.UID), assigned)
	same(t, "nothing but a number is a binding too", r.binding(d.Metadata.UID), fleet.Binding{LastRendering: 2})
	same(t, "binding", r.binding(s.UID), bound)
	r.view(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.NodeContainers(ctx, "n0")
		same(t, "of the node", got, []fleet.Container{assigned[0], assigned[2]})
		return err
	})

	// One that runs satisfies a newer revision with what it was started with.
	r.commit(decision(d, func(x *fleet.Decision) { x.Adopt = []fleet.Adoption{{ID: assigned[0].ID, Revision: 5}} }))
	assigned[0].Revision = 5
	same(t, "adopted", r.containers(d.Metadata.UID), assigned)

	snapshot, err := r.Load(t.Context())
	is(t, "load", err, nil)
	same(t, "renderings", snapshot.Renderings, []fleet.Rendering{read, one, two})
	same(t, "loaded containers", snapshot.Containers, assigned)
	same(t, "loaded bindings", snapshot.Bindings, map[string]fleet.Binding{s.UID: bound, d.Metadata.UID: {LastRendering: 2}})

	bound.Renderings = nil
	r.commit(about(s, func(x *fleet.Decision) { x.Binding = &bound }))
	same(t, "the form as it stands again", r.binding(s.UID), bound)
	same(t, "what nobody dropped stays", r.numbers(s.UID), []int64{7})
}

func TestCommitDropsRenderingsThatNothingUses(t *testing.T) {
	r := newRig(t)
	d, s := r.insert(deployment("acme", "web"))[0], r.store(configMap("acme", "cm", `{}`), configMap("acme", "twin", `{}`))
	of := func(uid string) (out []fleet.Rendering) {
		for n := range int64(6) {
			out = append(out, rendering(uid, n+1, "canada", `{}`))
		}
		return out
	}
	uid := d.Metadata.UID
	r.commit(decision(d, func(x *fleet.Decision) {
		x.Renderings, x.Assign = of(uid), []fleet.Container{rendered(container(d, 1, "n0"), 1), rendered(container(d, 2, "n0"), 2), rendered(container(d, 3, "n0"), 3)}
	}), about(s[0], func(x *fleet.Decision) {
		x.Renderings, x.Binding = of(s[0].UID), &fleet.Binding{Renderings: map[string]int64{"canada": 1, "europe": 2}, LastRendering: 6}
	}), about(s[1], func(x *fleet.Decision) { x.Renderings = of(s[1].UID) }))
	all := []int64{1, 2, 3, 4, 5, 6}
	r.commit(decision(d, func(x *fleet.Decision) {
		x.Stop, x.Remove = []string{container(d, 2, "").ID}, []string{container(d, 3, "").ID}
		x.Assign = []fleet.Container{rendered(container(d, 4, "n1"), 4)}
		x.Drop = []int64{1, 2, 3, 4, 6, 99}
	}), about(s[0], func(x *fleet.Decision) {
		x.Binding = &fleet.Binding{Renderings: map[string]int64{"canada": 1, "europe": 4}, LastRendering: 6}
		x.Drop = []int64{1, 2, 3, 4}
	}))
	// 1 runs, 2 is stopping, 3 is gone, 4 is new, 5 was not dropped, 6 never ran.
	same(t, "a workload's", r.numbers(uid), []int64{1, 2, 4, 5})
	same(t, "what clusters read, and what was not dropped", r.numbers(s[0].UID), []int64{1, 4, 5, 6})
	same(t, "another's", r.numbers(s[1].UID), all)
}

// Neither the renderings of a decision that does not hold, nor what it drops; and nothing is bound to a rendering that is
// not there.
func TestCommitStoresNoRenderingOfADecisionThatDoesNotHold(t *testing.T) {
	r := newRig(t)
	stored := r.insert(deployment("acme", "moved"), deployment("acme", "runs"), deployment("acme", "reads"), deployment("acme", "sound"))
	for _, d := range stored {
		r.commit(decision(d, func(x *fleet.Decision) {
			x.Renderings = []fleet.Rendering{rendering(d.Metadata.UID, 1, "canada", `{}`)}
		}))
	}
	moved, runs, reads, sound := stored[0], stored[1], stored[2], stored[3]
	r.update(func(ctx context.Context, tx *db.Tx) error {
		next := moved
		next.Metadata.Generation, next.Revision = 2, 2
		return second(tx.UpdateDeployment(ctx, next, ""))
	})
	change := func(d fleet.Deployment, runs, reads int64) fleet.Decision {
		return decision(d, func(x *fleet.Decision) {
			x.Renderings, x.Drop = []fleet.Rendering{rendering(d.Metadata.UID, 2, "canada", `{}`)}, []int64{1}
			x.Assign = []fleet.Container{rendered(container(d, 1, "n0"), runs)}
			x.Binding = &fleet.Binding{Renderings: map[string]int64{"canada": reads}, LastRendering: 2}
		})
	}
	held, err := r.Commit(t.Context(), []fleet.Decision{change(moved, 2, 2), change(runs, 3, 2), change(reads, 2, 3), change(sound, 2, 2)})
	is(t, "commit", err, nil)
	same(t, "held", held, []bool{false, false, false, true})
	for _, d := range stored[:3] {
		same(t, d.Metadata.Name, r.numbers(d.Metadata.UID), []int64{1})
		same(t, d.Metadata.Name, r.containers(d.Metadata.UID), []fleet.Container(nil))
		same(t, d.Metadata.Name, r.binding(d.Metadata.UID), fleet.Binding{})
	}
	same(t, "sound", r.numbers(sound.Metadata.UID), []int64{2})
	same(t, "sound", r.binding(sound.Metadata.UID), fleet.Binding{Renderings: map[string]int64{"canada": 2}, LastRendering: 2})

	// One that came with an earlier decision is as good; one of another is not.
	held, err = r.Commit(t.Context(), []fleet.Decision{
		decision(runs, func(x *fleet.Decision) { x.Assign = []fleet.Container{rendered(container(runs, 1, "n0"), 1)} }),
		decision(reads, func(x *fleet.Decision) { x.Assign = []fleet.Container{rendered(container(reads, 1, "n0"), 2)} }),
	})
	is(t, "commit", err, nil)
	same(t, "held", held, []bool{true, false})

	_, err = r.Commit(t.Context(), []fleet.Decision{decision(runs, func(x *fleet.Decision) { x.Renderings = []fleet.Rendering{rendering("", 1, "", `{"again":1}`)} })})
	is(t, "a number that is taken", err, fleet.ErrExists)
}

// More rows than a bulk statement takes, and not a multiple of them.
func TestCommitOfManyRenderings(t *testing.T) {
	r := newRig(t)
	d := r.insert(deployment("acme", "web"))[0]
	var want []fleet.Rendering
	for i := range 137 {
		want = append(want, rendering(d.Metadata.UID, int64(i+1), fmt.Sprint("c", i), fmt.Sprintf(`{"i":%d}`, i)))
	}
	shuffled := slices.Clone(want)
	slices.Reverse(shuffled)
	r.commit(decision(d, func(x *fleet.Decision) { x.Renderings = shuffled }))
	snapshot, err := r.Load(t.Context())
	is(t, "load", err, nil)
	same(t, "renderings", snapshot.Renderings, want)
}

// "Deleted": what runs is told to stop by what it runs, so renderings outlive their workload while a container does.
func TestRenderingsGoWithTheLastContainerOfWhatIsDeleted(t *testing.T) {
	r := newRig(t)
	d, s := r.insert(deployment("acme", "web"), deployment("acme", "stays"))[0], r.store(workload("acme", "web"), configMap("acme", "cm", `{}`), configMap("acme", "kept", `{}`))
	give := func(x *fleet.Decision) {
		x.Renderings = []fleet.Rendering{rendering("", 1, "canada", `{}`), rendering("", 2, "canada", `{}`)}
	}
	r.commit(decision(d, func(x *fleet.Decision) { give(x); x.Assign = []fleet.Container{rendered(container(d, 1, "n0"), 1)} }),
		about(s[0], func(x *fleet.Decision) { give(x); x.Assign = []fleet.Container{rendered(replica(s[0], 1, "n0"), 2)} }),
		about(s[1], func(x *fleet.Decision) {
			give(x)
			x.Binding = &fleet.Binding{Renderings: map[string]int64{"canada": 2}, LastRendering: 2}
		}),
		about(s[2], give), decision(deployment("acme", "stays"), give))
	count := func() map[string]int {
		return map[string]int{"deployment": len(r.numbers(d.Metadata.UID)), "workload": len(r.numbers(s[0].UID)), "deleted": len(r.numbers(s[1].UID)),
			"preserved": len(r.numbers(s[2].UID)), "stays": len(r.numbers("uid-acme-stays"))}
	}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		is(t, "deployment", tx.DeleteDeployment(ctx, "acme", d.Metadata.UID), nil)
		is(t, "workload", tx.DeleteResource(ctx, "acme", s[0].UID), nil)
		is(t, "preserve", tx.PreserveResource(ctx, "acme", s[2].UID), nil)
		return tx.DeleteResource(ctx, "acme", s[1].UID)
	})
	want := map[string]int{"deployment": 2, "workload": 2, "deleted": 0, "preserved": 2, "stays": 2}
	same(t, "after the deletion", count(), want)
	is(t, "trim", r.Trim(t.Context(), start), nil)
	same(t, "while they stop", count(), want)
	snapshot, err := r.Load(t.Context())
	is(t, "load", err, nil)
	same(t, "of what is stored alone", len(snapshot.Renderings), 4)

	r.commit(decision(d, func(x *fleet.Decision) {
		x.Deleted, x.Remove, x.Drop = true, []string{container(d, 1, "").ID}, []int64{2}
	}))
	same(t, "of one that is gone only Stop and Remove apply", count(), want)
	r.update(func(ctx context.Context, tx *db.Tx) error { return tx.DeleteNode(ctx, "n0") })
	is(t, "trim", r.Trim(t.Context(), start), nil)
	same(t, "once they are gone", count(), map[string]int{"deployment": 0, "workload": 0, "deleted": 0, "preserved": 2, "stays": 2})
}

func TestADeletedPolicyLeavesTheNumbersOfRenderings(t *testing.T) {
	no := false
	r := newRig(t)
	p := r.decree(policy("acme", "p", func(p *fleet.Policy) { p.Spec.PreserveResourcesOnDeletion = &no }))[0]
	s, ref := r.store(configMap("acme", "cm", `{}`))[0], p.Ref()
	r.commit(about(s, func(x *fleet.Decision) { x.Binding = &fleet.Binding{Policy: &ref, LastRendering: 3} }))
	r.update(func(ctx context.Context, tx *db.Tx) error { return tx.DeletePolicy(ctx, p) })
	same(t, "never used twice", r.binding(s.UID), fleet.Binding{LastRendering: 3})
}
