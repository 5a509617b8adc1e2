package fleet_test

import (
	"testing"

	"odysseus/fleet"
)

func TestDeliveredResource(t *testing.T) {
	one, six := int64(1), int64(6)
	tests := []struct {
		name, manifest string
		counts         fleet.Replicas
		want           string
	}{
		{"a part of the count", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: demo}, spec: {replicas: 3, z: 1.10}}", fleet.Replicas{Count: 2},
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","namespace":"demo"},"spec":{"replicas":2,"z":1.10}}`},
		{"the whole of it", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {}}", fleet.Replicas{Count: 1},
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{}}`},
		{"none, without a spec", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}}", fleet.Replicas{},
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"replicas":0}}`},
		{"a Job's two counts", "{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {completions: 9, parallelism: 3}}", fleet.Replicas{Count: 2, Completions: &six},
			`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a"},"spec":{"completions":6,"parallelism":2}}`},
		{"a Job without completions", "{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {parallelism: 3}}", fleet.Replicas{Count: 2, Completions: &one},
			`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a"},"spec":{"parallelism":2}}`},
		{"what a server sets is no part of it", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, uid: u, resourceVersion: \"7\", generation: 2, labels: {b: c}}, data: {replicas: x}}", fleet.Replicas{Count: 1},
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"b":"c"}},"data":{"replicas":"x"}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := resource(t, tt.manifest)
			before := string(r.Object)
			if got := string(r.Deliver(tt.counts)); got != tt.want {
				t.Errorf("delivers\n%s, want\n%s", got, tt.want)
			}
			if string(r.Object) != before {
				t.Error("the resource itself is changed")
			}
		})
	}
	r := resource(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
	r.Namespace = "demo" // the path's
	if got := string(r.Deliver(fleet.Replicas{Count: 1})); got != `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"demo"}}` {
		t.Errorf("delivers %s", got)
	}
}

func TestRequestsOfAReplica(t *testing.T) {
	tests := []struct {
		name, manifest string
		want           fleet.Amount
	}{
		{"one of ours", "{apiVersion: odysseus/v1, kind: Deployment, metadata: {name: a}, spec: {resources: {requests: {cpu: 2}, limits: {memory: 1Gi}}}}", fleet.Amount{MilliCPU: 2000, Slots: 1}},
		{"containers together", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: {spec: {containers: [{resources: {requests: {cpu: 500m, memory: 1Ki}}}, {resources: {limits: {memory: 1Ki}}}]}}}}", fleet.Amount{MilliCPU: 500, Memory: 2048, Slots: 2}},
		{"no pod template", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", fleet.Amount{Slots: 1}},
		{"more than there can be", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: {spec: {containers: [{resources: {requests: {memory: 8Ei}}}, {resources: {requests: {cpu: 1, memory: 8Ei}}}]}}}}", fleet.Amount{MilliCPU: 1000, Memory: 1<<63 - 1, Slots: 2}},
		{"what is no quantity", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: {spec: {containers: [{resources: {requests: {cpu: [much]}}}, x]}}}}", fleet.Amount{Slots: 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := resource(t, tt.manifest)
			if got := r.Requests(); got != tt.want {
				t.Errorf("requests %+v, want %+v", got, tt.want)
			}
		})
	}
}
