package scheduler

import "odysseus/fleet"

// refusedTenancy never leaves the package: "nodes and clusters not granted to the tenant are outside the
// question: they add no reason and no value".
const refusedTenancy fleet.Code = "not_granted"

// tenancyFilter keeps a tenant on the clusters that are granted to it.
var tenancyFilter = filter{name: "tenancy", class: func(q query, c *class) fleet.Code {
	if c.cluster.grants(q.tenant) {
		return ""
	}
	return refusedTenancy
}}
