package scheduler

import (
	"encoding/binary"
	"fmt"
	"testing"
)

// FuzzDivide reads a question from bytes: two for the strategy and switches, two for the count, then eight for each cluster.
func FuzzDivide(f *testing.F) {
	f.Add("web", []byte{1, 0, 3, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0})
	f.Add("web", []byte{2, 1, 9, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 0, 1, 0, 1, 0})
	f.Add("web", []byte{3, 2, 9, 1, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 0, 255, 255, 1, 0})
	f.Fuzz(func(t *testing.T, name string, b []byte) {
		if len(b) < 4 {
			return
		}
		q := question{namespace: "ns", name: name, strategy: strategy(b[0] % 4), fresh: b[1]&1 != 0, gang: b[1]&2 != 0, replicas: int(binary.LittleEndian.Uint16(b[2:]) % 300)}
		scale := uint(b[1] >> 3) // of weights: up to 2^63
		for b = b[4:]; len(b) >= 8 && len(q.candidates) < 16; b = b[8:] {
			c := candidate{
				cluster: fmt.Sprintf("c%02d", len(q.candidates)), weight: int64(binary.LittleEndian.Uint32(b)) << scale,
				available: int64(binary.LittleEndian.Uint16(b[4:])), held: int(binary.LittleEndian.Uint16(b[6:]) % 400),
			}
			if c.available == 65535 {
				c.available = unlimited
			}
			q.candidates = append(q.candidates, c)
		}
		d := divide(q)
		checkDivision(t, q, d)
		d.shares()
		want, rest := divideOracle(q)
		for _, p := range d.parts {
			if p.replicas != want[p.cluster] || d.rest != rest {
				t.Fatalf("%+v: %s has %d, want %d; %d pending, want %d", q, p.cluster, p.replicas, want[p.cluster], d.rest, rest)
			}
		}
	})
}
