package scheduler

import "odysseus/fleet"

// roomCount is how many replicas of one need the nodes of a class can still take together: the number that dynamic
// weights use. It follows the tree's changes instead of counting all nodes anew for each decision.
type roomCount struct {
	need   fleet.Amount
	counts []int64 // by leaf
	sum    int64
	at     int // in tree.log: what lies before is counted
	used   uint64
}

// maxRooms bounds how many needs a class counts at a time; the one not asked for longest makes room.
const maxRooms = 8

// maxTimes bounds what one node counts for, so that no sum overflows.
const maxTimes = 1 << 40

// roomFor is how many replicas of that need the nodes of the class can still take.
func (t *tree) roomFor(need fleet.Amount) int64 {
	t.asked++
	var oldest int
	for i := range t.rooms {
		if r := &t.rooms[i]; r.need == need {
			r.used = t.asked
			r.follow(t)
			return r.sum
		}
		if t.rooms[i].used < t.rooms[oldest].used {
			oldest = i
		}
	}
	if len(t.rooms) < maxRooms {
		oldest = len(t.rooms)
		t.rooms = append(t.rooms, roomCount{})
	}
	r := &t.rooms[oldest]
	*r = roomCount{need: need, used: t.asked, counts: r.counts[:0]}
	r.recount(t)
	return r.sum
}

// follow counts again what changed since it last looked.
func (r *roomCount) follow(t *tree) {
	for _, leaf := range t.log[r.at:] {
		for int(leaf) >= len(r.counts) {
			r.counts = append(r.counts, 0)
		}
		n := t.times(leaf, r.need)
		r.sum += n - r.counts[leaf]
		r.counts[leaf] = n
	}
	r.at = len(t.log)
}

func (r *roomCount) recount(t *tree) {
	r.counts, r.sum = r.counts[:0], 0
	for leaf := range t.rank {
		n := t.times(int32(leaf), r.need)
		r.counts = append(r.counts, n)
		r.sum += n
	}
	r.at = len(t.log)
}

func (t *tree) times(leaf int32, need fleet.Amount) int64 {
	if t.rank[leaf] == closed {
		return 0
	}
	return min(times(t.free(leaf), need), maxTimes)
}

// note remembers a changed leaf for the counts. A log that outgrew the class is brought to all of them and emptied.
func (t *tree) note(leaf int32) {
	t.changed = append(t.changed, leaf)
	if len(t.rooms) == 0 {
		return
	}
	t.log = append(t.log, leaf)
	if len(t.log) < max(1024, 2*len(t.nodes)) {
		return
	}
	for i := range t.rooms {
		t.rooms[i].follow(t)
		t.rooms[i].at = 0
	}
	t.log = t.log[:0]
}
