package db_test

import (
	"context"
	"encoding/json"
	"fmt"

	"odysseus/db"
	"odysseus/fleet"
)

// rendering of what has that UID.
func rendering(uid string, number int64, cluster, object string) fleet.Rendering {
	return fleet.Rendering{UID: uid, Number: number, Cluster: cluster, Object: json.RawMessage(object)}
}

// numbers are those of the renderings that are stored of a UID.
func (r *rig) numbers(uid string) []int64 {
	r.Helper()
	rows, err := r.Sessions().Query("SELECT number FROM renderings WHERE uid = ? ORDER BY number", uid)
	if err != nil {
		r.Fatal(err)
	}
	defer rows.Close()
	var out []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			r.Fatal(err)
		}
		out = append(out, n)
	}
	if err := rows.Err(); err != nil {
		r.Fatal(err)
	}
	return out
}

// tamper changes the file behind the product's back.
func (r *rig) tamper(statement string) {
	r.Helper()
	if _, err := r.Sessions().Exec(statement); err != nil {
		r.Fatal(err)
	}
}

// cluster of that name, with one node in it.
func (r *rig) cluster(name, node string) {
	r.Helper()
	r.update(func(ctx context.Context, tx *db.Tx) error {
		if _, err := tx.InsertCluster(ctx, fleet.Cluster{Name: name, Runtime: fleet.ClusterAgents, Tenants: []string{"*"}, CreatedAt: start}); err != nil {
			return err
		}
		_, err := tx.InsertNode(ctx, fleet.Node{Name: node, Cluster: name, Runtime: fleet.RuntimeSimulated, EnrolledAt: start}, "credential-of-"+node)
		return err
	})
}

// rendered is a container that runs a rendering.
func rendered(c fleet.Container, number int64) fleet.Container {
	c.Rendering = number
	return c
}

// overridden is an odysseus/v1 Deployment's document as overrides left it: what it says of "cpu" is a number.
func overridden(image string, grace int) string {
	return fmt.Sprintf(`{"apiVersion":"odysseus/v1","kind":"Deployment","metadata":{"name":"web","namespace":"acme"},"spec":{"image":"%s","replicas":1,
		"args":["--canada"],"env":[{"name":"HOST","valueFrom":{"configMapKeyRef":{"name":"cm","key":"host"}}}],"resources":{"limits":{"cpu":2}},
		"terminationGracePeriodSeconds":%d}}`, image, grace)
}
