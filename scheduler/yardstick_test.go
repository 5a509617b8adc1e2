package scheduler

import (
	"cmp"
	"slices"
	"syscall"
	"time"

	"odysseus/fleet"
)

// Y1, the naive yardstick: placement by scanning all nodes and comparing label maps.
type naiveNode struct {
	labels map[string]string
	free   fleet.Amount
}

type naiveFleet []naiveNode

func (f naiveFleet) place(labels map[string]string, need fleet.Amount) int {
	best := -1
	for i := range f {
		n := &f[i]
		if want := labels[fleet.LabelResidencyCountry]; want != "" && n.labels[fleet.LabelNodeCountry] != want {
			continue
		}
		if !need.Fits(n.free) {
			continue
		}
		if best < 0 || n.free.MilliCPU > f[best].free.MilliCPU {
			best = i
		}
	}
	if best >= 0 {
		f[best].free = f[best].free.Minus(need)
	}
	return best
}

// cpuTime is what this process has computed so far: unlike wall time it does not count what other programs take.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// alternate times two pieces of work in turns, five times or more, and answers the median of each.
func alternate(rounds int, a, b func() time.Duration) (medianA, medianB time.Duration) {
	as, bs := make([]time.Duration, rounds), make([]time.Duration, rounds)
	for i := range rounds {
		as[i], bs[i] = a(), b()
	}
	return median(as), median(bs)
}

func median(d []time.Duration) time.Duration {
	slices.SortFunc(d, func(a, b time.Duration) int { return cmp.Compare(a, b) })
	return d[len(d)/2]
}
