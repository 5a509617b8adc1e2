package db_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"odysseus/db"
	"odysseus/fleet"
)

// benchFleet is a rig with n nodes and 100 deployments of ten replicas.
func benchFleet(b *testing.B, nodes int) (*rig, []fleet.Deployment) {
	r := newRig(b)
	r.update(func(ctx context.Context, tx *db.Tx) error {
		for i := 3; i < nodes; i++ {
			if _, err := tx.InsertNode(ctx, node(i), fmt.Sprint("c", i)); err != nil {
				return err
			}
		}
		return nil
	})
	var deployments []fleet.Deployment
	for i := range 100 {
		deployments = append(deployments, deployment("acme", fmt.Sprintf("web-%03d", i)))
	}
	return r, r.insert(deployments...)
}

// BenchmarkCommit stores 1,000 new containers of 100 deployments in one commit, with what the scheduler writes
// beside them. BenchmarkRawInsert is its yardstick: the same rows, driver and mode, and nothing else.
func BenchmarkCommit(b *testing.B) {
	r, deployments := benchFleet(b, 5000)
	random := rand.New(rand.NewPCG(1, 2))
	next := 0
	for b.Loop() {
		b.StopTimer()
		decisions := make([]fleet.Decision, len(deployments))
		for i, d := range deployments {
			decisions[i] = decision(d, func(x *fleet.Decision) {
				for n := range 10 {
					x.Assign = append(x.Assign, container(d, next+n, fmt.Sprintf("n%d", random.IntN(5000))))
				}
				x.LastContainer = int64(next + 10)
				x.Status = &fleet.DeploymentStatus{State: fleet.Placed, Replicas: 10, Placed: 10}
			})
		}
		next += 10
		b.StartTimer()
		r.commit(decisions...)
	}
	b.ReportMetric(float64(1000*b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkRawInsert(b *testing.B) {
	r, deployments := benchFleet(b, 5000)
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
	raw, err := sql.Open("sqlite", "file:"+r.path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(ON)&_pragma=cache_size(-16000)&_pragma=wal_autocheckpoint(4000)&_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	defer raw.Close()
	raw.SetMaxOpenConns(1)
	insert, err := raw.Prepare(`INSERT INTO containers (deployment_uid, id, tenant, namespace, deployment, node, revision, replica, rendering,
		milli_cpu, memory, slots, state, message, restarts, started_at, stop, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	next := 0
	for b.Loop() {
		b.StopTimer()
		var rows []fleet.Container
		for _, d := range deployments {
			for n := range 10 {
				rows = append(rows, container(d, next+n, fmt.Sprintf("n%d", random.IntN(5000))))
			}
		}
		next += 10
		b.StartTimer()
		tx, err := raw.Begin()
		if err != nil {
			b.Fatal(err)
		}
		s := tx.Stmt(insert)
		for _, c := range rows {
			if _, err := s.Exec(c.DeploymentUID, c.ID, c.Tenant, c.Namespace, c.Deployment, c.Node, c.Revision, c.Replica, c.Rendering,
				c.Requests.MilliCPU, c.Requests.Memory, c.Requests.Slots, c.State, c.Message, c.Restarts, nil, c.Stop, c.CreatedAt.UnixMilli()); err != nil {
				b.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(1000*b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkUpdate is single acknowledged writes: by one caller, and by 64 that share commits.
func BenchmarkUpdate(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			r := openRig(b, filepath.Join(b.TempDir(), "odysseus.db"), db.Options{})
			var left atomic.Int64
			left.Store(int64(b.N))
			b.ResetTimer()
			var wg sync.WaitGroup
			for i := range callers {
				wg.Go(func() {
					for left.Add(-1) >= 0 {
						err := r.Update(b.Context(), func(tx *db.Tx) error { return tx.PutSetting(b.Context(), fmt.Sprint("key-", i), "value") })
						if err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
		})
	}
}

// BenchmarkLoad rebuilds the fleet of 100,000 containers; BenchmarkPlainSelect, its yardstick, reads the same rows and
// keeps nothing.
func BenchmarkLoad(b *testing.B) {
	r := benchLoaded(b)
	for b.Loop() {
		if _, err := r.Load(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPlainSelect(b *testing.B) {
	r := benchLoaded(b)
	var values [30]any
	dest := make([]any, len(values))
	for i := range values {
		dest[i] = &values[i]
	}
	for b.Loop() {
		for _, table := range []string{"clusters", "nodes", "deployments", "containers"} {
			rows, err := r.Sessions().Query("SELECT * FROM " + table)
			if err != nil {
				b.Fatal(err)
			}
			columns, err := rows.Columns()
			if err != nil {
				b.Fatal(err)
			}
			for rows.Next() {
				if err := rows.Scan(dest[:len(columns)]...); err != nil {
					b.Fatal(err)
				}
			}
			if err := errors.Join(rows.Err(), rows.Close()); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func benchLoaded(b *testing.B) *rig {
	r, _ := benchFleet(b, 1000)
	for i := range 10 {
		var batch []fleet.Deployment
		for j := range 1000 {
			batch = append(batch, deployment("acme", fmt.Sprintf("d-%d-%d", i, j), inCountry("CA")))
		}
		var decisions []fleet.Decision
		for k, d := range r.insert(batch...) {
			decisions = append(decisions, decision(d, func(x *fleet.Decision) {
				for n := range 10 {
					x.Assign = append(x.Assign, container(d, n, fmt.Sprintf("n%d", (k*7919+n*13+i*31)%1000)))
				}
			}))
		}
		r.commit(decisions...)
	}
	return r
}
