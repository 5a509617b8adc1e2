package scheduler

import "math"

// duplicate gives each cluster the full count. Capacity has no say, but for a gang: each copy is one.
func (d *divider) duplicate(a *division) {
	for i := range d.candidates {
		c, p := &d.candidates[i], &a.parts[i]
		p.cluster, p.weight, p.kept, p.replicas = c.cluster, 0, 0, d.replicas
		if d.gang && !c.room(d.replicas) {
			p.kept = min(max(c.held, 0), d.replicas)
			p.replicas = p.kept
			a.rest += d.replicas - p.kept
			a.gang = true
		}
	}
}

// static divides the whole count by the policy's weights, whatever is held: "capacity does not enter static weights:
// what a cluster cannot hold is pending there".
func (d *divider) static(a *division) {
	weights := d.weights[:0]
	for i := range d.candidates {
		c, p := &d.candidates[i], &a.parts[i]
		p.cluster, p.weight, p.kept, p.replicas = c.cluster, max(c.weight, 0), 0, 0
		if p.weight > 0 {
			weights = append(weights, weight{size: uint64(p.weight), part: int32(i)})
		}
	}
	a.basis, a.divided = byWeight, d.replicas
	if len(weights) == 0 {
		a.basis = byEqual
		for i := range a.parts {
			a.parts[i].weight = 1
			weights = append(weights, weight{size: 1, part: int32(i)})
		}
	}
	d.weights = weights
	d.webster(a.parts, d.replicas)
	if !d.gang {
		return
	}
	for i := range d.candidates {
		if !d.candidates[i].room(a.parts[i].replicas) {
			d.holdBack(a)
			return
		}
	}
}

// dynamic divides by what the clusters can take, packed into as few as possible where it is aggregated: "scaling up
// allots only the new replicas, by what is available now; scaling down divides the smaller count by the shares held
// before; equal count changes nothing"; afresh, "weight = what is free plus what is held".
func (d *divider) dynamic(a *division) {
	held := d.heldInAll()
	amount, kept := d.replicas, false
	switch {
	case d.fresh:
		a.basis = byAllRoom
	case int64(d.replicas) < held:
		a.basis = byHeld
	case int64(d.replicas) == held:
		amount, kept = 0, true
	default:
		a.basis, amount, kept = byAvailable, d.replicas-int(held), true
	}
	weights, total := d.weights[:0], int64(0)
	pack, by, all := d.strategy == aggregated, a.basis, int64(d.replicas)
	for i := range d.candidates {
		c, p := &d.candidates[i], &a.parts[i]
		number, keeps := c.number(by, all), 0
		if kept {
			keeps = max(c.held, 0)
		}
		p.cluster, p.weight, p.kept, p.replicas = c.cluster, number, keeps, keeps
		if number > 0 {
			total = addUp(total, number)
			weights = append(weights, weight{uint64(number), int32(i), keeps > 0})
			if pack {
				p.weight = 0 // until it is among those that are asked
			}
		}
	}
	d.weights = weights
	a.divided = int(min(int64(amount), total))
	a.rest = amount - a.divided
	if a.rest > 0 && d.gang {
		d.holdBack(a)
		return
	}
	if d.strategy == aggregated {
		d.aggregate(a.parts, a.divided, total)
	}
	d.webster(a.parts, a.divided)
}

// holdBack answers for a gang without room for all of it: nothing is added and nothing is moved. What runs goes on
// running; where fewer are wanted than are held, they are divided by the shares held, as there is room for those.
func (d *divider) holdBack(a *division) {
	held := d.heldInAll()
	*a = division{namespace: a.namespace, name: a.name, parts: a.parts}
	for i, c := range d.candidates {
		n := max(c.held, 0)
		a.parts[i] = part{cluster: c.cluster, kept: n, replicas: n}
	}
	if held <= int64(d.replicas) {
		a.rest = d.replicas - int(held)
		a.gang = a.rest > 0
		return
	}
	a.basis, a.divided = byHeld, d.replicas
	d.weights = d.weights[:0]
	for i := range a.parts {
		p := &a.parts[i]
		p.weight, p.kept, p.replicas = int64(p.kept), 0, 0
		if p.weight > 0 {
			d.weights = append(d.weights, weight{size: uint64(p.weight), part: int32(i)})
		}
	}
	d.webster(a.parts, a.divided)
}

// heldInAll is what the candidates hold; what others held is lost.
func (d *divider) heldInAll() int64 {
	sum := int64(0)
	for i := range d.candidates {
		sum = addUp(sum, int64(max(d.candidates[i].held, 0)))
	}
	return sum
}

// weight is that of a part that takes part.
type weight struct {
	size uint64
	part int32
	held bool // what it keeps is more than nothing
}

// addUp adds two numbers that are not negative; what does not fit is the largest number.
func addUp(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// number is the weight of the cluster where the policy gives none, for a workload of so many replicas.
func (c *candidate) number(b basis, replicas int64) int64 {
	available, held := c.available, int64(max(c.held, 0))
	if available < 0 {
		available = replicas
	}
	switch b {
	case byAvailable:
		return available
	case byHeld:
		return held
	case byAllRoom:
		return addUp(available, held)
	}
	return 0
}
