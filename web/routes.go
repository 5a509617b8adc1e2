package web

import (
	"net/http"

	"odysseus/handlers"
)

// mounts are the handlers that the table names.
type mounts struct {
	api     *handlers.API
	agents  *handlers.Agents
	health  *health
	metrics http.HandlerFunc
}

// table is every path there is. A line says who may as far as the path alone decides; control decides the rest.
func table(m mounts) []Route {
	const (
		get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete

		v1 = "/api/v1"
		ns = v1 + "/namespaces/{ns}"
	)
	return []Route{
		{get, "/healthz", Public, m.health.live, Probe},
		{get, "/readyz", Public, m.health.ready, Probe},
		{get, "/metrics", Public, m.metrics, Ordinary}, // closed by metrics.token

		{post, v1 + "/apply", Tenant, m.api.Apply, Ordinary}, // by kind

		{get, v1 + "/tenants", Operator, m.api.ListTenants, Ordinary},
		{post, v1 + "/tenants", Operator, m.api.CreateTenant, Ordinary},
		{get, v1 + "/tenants/{tenant}", Operator, m.api.GetTenant, Ordinary},
		{del, v1 + "/tenants/{tenant}", Operator, m.api.DeleteTenant, Ordinary},
		{get, v1 + "/tenants/{tenant}/namespaces", Operator, m.api.ListNamespaces, Ordinary},
		{post, v1 + "/tenants/{tenant}/namespaces", Operator, m.api.CreateNamespace, Ordinary},
		{get, v1 + "/tenants/{tenant}/users", Operator, m.api.ListUsers, Ordinary},
		{post, v1 + "/tenants/{tenant}/users", Operator, m.api.CreateUser, Ordinary},
		{del, v1 + "/tenants/{tenant}/users/{id}", Operator, m.api.DeleteUser, Ordinary},
		{get, v1 + "/tenants/{tenant}/tokens", Tenant, m.api.ListTokens, Ordinary}, // the tenant's editors too
		{post, v1 + "/tenants/{tenant}/tokens", Tenant, m.api.CreateToken, Ordinary},
		{del, v1 + "/tenants/{tenant}/tokens/{id}", Tenant, m.api.DeleteToken, Ordinary},
		{get, v1 + "/users", Operator, m.api.ListUsers, Ordinary},
		{post, v1 + "/users", Operator, m.api.CreateUser, Ordinary},
		{del, v1 + "/users/{id}", Operator, m.api.DeleteUser, Ordinary},
		{get, v1 + "/tokens", Operator, m.api.ListTokens, Ordinary},
		{post, v1 + "/tokens", Operator, m.api.CreateToken, Ordinary},
		{del, v1 + "/tokens/{id}", Operator, m.api.DeleteToken, Ordinary},

		{get, v1 + "/clusters", SignedIn, m.api.ListClusters, Ordinary}, // tenants: those granted
		{post, v1 + "/clusters", Operator, m.api.CreateCluster, Ordinary},
		{get, v1 + "/clusters/{cluster}", SignedIn, m.api.GetCluster, Ordinary},
		{put, v1 + "/clusters/{cluster}", Operator, m.api.PutCluster, Ordinary},
		{del, v1 + "/clusters/{cluster}", Operator, m.api.DeleteCluster, Ordinary},
		{post, v1 + "/clusters/{cluster}/enrolment-tokens", Operator, m.api.CreateEnrolmentToken, Ordinary},

		{get, v1 + "/nodes", Operator, m.api.ListNodes, Ordinary},
		{get, v1 + "/nodes/{node}", Operator, m.api.GetNode, Ordinary},
		{del, v1 + "/nodes/{node}", Operator, m.api.DeleteNode, Ordinary},
		{put, v1 + "/nodes/{node}", Operator, m.api.RefuseNode, Ordinary},
		{patch, v1 + "/nodes/{node}", Operator, m.api.RefuseNode, Ordinary},
		{post, v1 + "/nodes/{node}/cordon", Operator, m.api.CordonNode, Ordinary},
		{post, v1 + "/nodes/{node}/uncordon", Operator, m.api.UncordonNode, Ordinary},
		{post, v1 + "/nodes/{node}/drain", Operator, m.api.DrainNode, Ordinary},
		{get, v1 + "/nodes/{node}/events", Operator, m.api.NodeEvents, Ordinary},

		{get, ns + "/deployments", Tenant, m.api.ListDeployments, Ordinary},
		{post, ns + "/deployments", Tenant, m.api.CreateDeployment, Ordinary},
		{get, ns + "/deployments/{name}", Tenant, m.api.GetDeployment, Ordinary},
		{put, ns + "/deployments/{name}", Tenant, m.api.PutDeployment, Ordinary},
		{del, ns + "/deployments/{name}", Tenant, m.api.DeleteDeployment, Ordinary},
		{get, ns + "/deployments/{name}/placement", Tenant, m.api.GetPlacement, Ordinary},
		{get, ns + "/deployments/{name}/events", Tenant, m.api.ListEvents, Ordinary},
		{get, ns + "/deployments/{name}/revisions", Tenant, m.api.ListRevisions, Ordinary},
		{post, ns + "/deployments/{name}/rollback", Tenant, m.api.RollbackDeployment, Ordinary},

		{get, v1 + "/scheduler/regions", SignedIn, m.api.GetRegions, Ordinary},
		{get, v1 + "/scheduler/geography", SignedIn, m.api.GetGeography, Ordinary},
		{get, v1 + "/scheduler/geo-awareness", Operator, m.api.GetGeoAwareness, Ordinary},
		{put, v1 + "/scheduler/geo-awareness", Operator, m.api.PutGeoAwareness, Ordinary},
		{get, v1 + "/pending", SignedIn, m.api.ListPending, Ordinary}, // a tenant sees its own
		{get, v1 + "/audit", Operator, m.api.ListAudit, Ordinary},

		{post, v1 + "/agents/enrol", Public, m.agents.Enrol, Ordinary}, // by its enrolment token, in the body
		{put, v1 + "/agents/self/status", Agent, m.agents.Status, Ordinary},
		{get, v1 + "/agents/self/assignments", Agent, m.agents.Assignments, Stream},
	}
}
