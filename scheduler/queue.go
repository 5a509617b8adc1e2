package scheduler

// queue holds the deployments to look at, first come first served, each at most once.
type queue struct {
	items []*deployment
	head  int
}

func (q *queue) len() int { return len(q.items) - q.head }

func (q *queue) push(d *deployment) { q.items = append(q.items, d) }

func (q *queue) pop() *deployment {
	d := q.items[q.head]
	q.items[q.head] = nil
	q.head++
	if q.head*2 >= len(q.items) {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	return d
}

// enqueue has the deployment looked at. While a decision on it is being committed it is noted, and looked at after.
func (p *picture) enqueue(d *deployment) {
	switch {
	case d.queued:
	case d.committing:
		d.again = true
	default:
		d.queued = true
		p.queue.push(d)
	}
}
