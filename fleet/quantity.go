package fleet

import (
	"math"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Quantity is a Kubernetes quantity as written ("500m", "1.5", "128Mi"). The text is kept so that it reads
// back as it was written; a bare YAML number is accepted for it, as Kubernetes does.
type Quantity string

// Valid says whether q parses and is not negative. The empty quantity is not valid: it is left out instead.
func (q Quantity) Valid() bool {
	v, err := resource.ParseQuantity(string(q))
	return err == nil && v.Sign() >= 0
}

// Milli is q in thousandths, rounded up; 0 where q is empty or invalid. For CPU: millicores.
func (q Quantity) Milli() int64 {
	v, err := resource.ParseQuantity(string(q))
	if err != nil {
		return 0
	}
	if v.CmpInt64(math.MaxInt64/1000) > 0 {
		return math.MaxInt64
	}
	return v.MilliValue()
}

// Bytes is q in whole units, rounded up; 0 where q is empty or invalid.
func (q Quantity) Bytes() int64 {
	v, err := resource.ParseQuantity(string(q))
	if err != nil {
		return 0
	}
	return v.Value()
}

// Amount is what a replica takes of a node, or what a node has: millicores, bytes and container slots.
type Amount struct {
	MilliCPU int64 `json:"milliCPU"`
	Memory   int64 `json:"memory"`
	Slots    int64 `json:"slots"`
}

// Fits says whether a can be taken out of free.
func (a Amount) Fits(free Amount) bool {
	return a.MilliCPU <= free.MilliCPU && a.Memory <= free.Memory && a.Slots <= free.Slots
}

// Plus and Minus add and subtract, dimension by dimension.
func (a Amount) Plus(b Amount) Amount {
	return Amount{a.MilliCPU + b.MilliCPU, a.Memory + b.Memory, a.Slots + b.Slots}
}

// Minus subtracts b from a; a node that shrank below what it holds has a negative rest.
func (a Amount) Minus(b Amount) Amount {
	return Amount{a.MilliCPU - b.MilliCPU, a.Memory - b.Memory, a.Slots - b.Slots}
}
