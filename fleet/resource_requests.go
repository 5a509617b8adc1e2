package fleet

import "math"

// Requests of one replica. Of a Deployment of this product they are its own; of another resource what the containers of
// its pod template request together, and a slot for each of them, since "one replica = its containers together on one
// node". There, as Kubernetes has it, a limit without a request is the request. What has no pod template takes a slot.
func (r *Resource) Requests() Amount {
	need := Amount{}
	if roots, fault := parseJSON(r.Object); fault == nil && len(roots) == 1 {
		spec := roots[0].get("spec")
		if r.APIVersion == APIVersion {
			return containerRequests(spec.get("resources"), "requests")
		}
		if list := spec.get("template").get("spec").get("containers"); list != nil {
			for _, c := range list.items {
				need = need.saturating(containerRequests(c.get("resources"), "requests", "limits"))
			}
		}
	}
	need.Slots = max(need.Slots, 1)
	return need
}

func containerRequests(resources *value, lists ...string) Amount {
	quantity := func(name string) Quantity {
		for _, list := range lists {
			// A number is a quantity too, and its text reads as one.
			if v := resources.get(list).get(name); v != nil && Quantity(v.text).Valid() {
				return Quantity(v.text)
			}
		}
		return ""
	}
	return Amount{MilliCPU: quantity("cpu").Milli(), Memory: quantity("memory").Bytes(), Slots: 1}
}

// saturating is the sum that does not turn over: containers that together ask for more than there can be fit nowhere,
// and not everywhere.
func (a Amount) saturating(b Amount) Amount {
	sum := func(x, y int64) int64 {
		if x > math.MaxInt64-y {
			return math.MaxInt64
		}
		return x + y
	}
	return Amount{sum(a.MilliCPU, b.MilliCPU), sum(a.Memory, b.Memory), sum(a.Slots, b.Slots)}
}
