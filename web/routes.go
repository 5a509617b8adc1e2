package web

import (
	"net/http"

	"odysseus/handlers"
	"odysseus/static"
)

// mounts are the handlers that the table names.
type mounts struct {
	api     *handlers.API
	agents  *handlers.Agents
	pages   *handlers.Pages
	health  *health
	metrics http.HandlerFunc
}

// table is every path there is. A line says who may as far as the path alone decides; control decides the rest.
func table(m mounts) []Route {
	const (
		get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete

		v1 = "/api/v1"
		ns = v1 + "/namespaces/{ns}"

		deployments = "/namespaces/{ns}/deployments"
		policies    = "/namespaces/{ns}/policies"
		resources   = "/namespaces/{ns}/resources"
	)
	propagation, clusterPropagation := m.api.PropagationPolicies(), m.api.ClusterPropagationPolicies()
	override, clusterOverride := m.api.OverridePolicies(), m.api.ClusterOverridePolicies()
	return []Route{
		{get, "/healthz", Public, m.health.live, Probe},
		{get, "/readyz", Public, m.health.ready, Probe},
		{get, "/metrics", Public, m.metrics, Ordinary}, // closed by metrics.token
		{get, static.Prefix + "{path...}", Public, static.Handler().ServeHTTP, Probe},

		{get, "/login", Public, m.pages.LoginForm, Ordinary},
		{post, "/login", Public, m.pages.SignIn, Ordinary},
		{get, "/setup", Public, m.pages.SetupForm, Ordinary}, // by the one-time secret
		{post, "/setup", Public, m.pages.SetUp, Ordinary},
		{post, "/preferences", Public, m.pages.Preferences, Ordinary},
		{post, "/logout", SignedIn, m.pages.SignOut, Ordinary},

		{get, "/docs/residency", Public, m.pages.DocsResidency, Ordinary},
		{get, "/docs/deployment", Public, m.pages.DocsDeployment, Ordinary},
		{get, "/docs/deployment.json", Public, m.pages.DocsDeploymentJSON, Ordinary},
		{get, "/docs/policies", Public, m.pages.DocsPolicies, Ordinary},
		{get, "/docs/policies.json", Public, m.pages.DocsPoliciesJSON, Ordinary},
		{get, "/docs/rejections", Public, m.pages.DocsRejections, Ordinary},
		{get, "/docs/rejections.json", Public, m.pages.DocsRejectionsJSON, Ordinary},
		{get, "/docs/placement", Public, m.pages.DocsPlacement, Ordinary},
		{get, "/docs/never-scheduled", Public, m.pages.DocsNeverScheduled, Ordinary},

		{get, "/{$}", SignedIn, m.pages.Overview, Ordinary},
		{get, "/pending", SignedIn, m.pages.Pending, Ordinary}, // a tenant sees its own
		{get, "/account", SignedIn, m.pages.Account, Ordinary},
		{post, "/account/password", SignedIn, m.pages.ChangePassword, Ordinary},
		{post, "/account/tokens", SignedIn, m.pages.CreateToken, Ordinary},
		{post, "/account/tokens/{id}/delete", SignedIn, m.pages.DeleteToken, Ordinary},
		{post, "/account/sessions/revoke", SignedIn, m.pages.EndSessions, Ordinary},

		{get, deployments, Tenant, m.pages.Deployments, Ordinary},
		{post, deployments, Tenant, m.pages.CreateDeployment, Ordinary},
		{get, deployments + "/new", Tenant, m.pages.NewDeployment, Ordinary},
		{get, deployments + "/{name}", Tenant, m.pages.Deployment, Ordinary},
		{post, deployments + "/{name}", Tenant, m.pages.UpdateDeployment, Ordinary},
		{get, deployments + "/{name}/edit", Tenant, m.pages.EditDeployment, Ordinary},
		{get, deployments + "/{name}/delete", Tenant, m.pages.ConfirmDelete, Ordinary},
		{post, deployments + "/{name}/delete", Tenant, m.pages.DeleteDeployment, Ordinary},
		{get, deployments + "/{name}/events", Tenant, m.pages.DeploymentEvents, Ordinary},
		{get, deployments + "/{name}/revisions", Tenant, m.pages.DeploymentRevisions, Ordinary},
		{post, deployments + "/{name}/rollback", Tenant, m.pages.RollbackDeployment, Ordinary},
		{post, deployments + "/{name}/reschedule", Tenant, m.pages.RescheduleDeployment, Ordinary},

		{get, policies, Tenant, m.pages.Policies, Ordinary},
		{post, policies, Tenant, m.pages.EitherKind(m.pages.CreatePolicy, m.pages.CreateOverride), Ordinary},
		{get, policies + "/new", Tenant, m.pages.EitherKind(m.pages.NewPolicy, m.pages.NewOverride), Ordinary},
		{get, policies + "/{kind}/{name}", Tenant, m.pages.EitherKind(m.pages.Policy, m.pages.Override), Ordinary},
		{post, policies + "/{kind}/{name}", Tenant, m.pages.EitherKind(m.pages.UpdatePolicy, m.pages.UpdateOverride), Ordinary},
		{get, policies + "/{kind}/{name}/edit", Tenant, m.pages.EitherKind(m.pages.EditPolicy, m.pages.EditOverride), Ordinary},
		{get, policies + "/{kind}/{name}/delete", Tenant, m.pages.EitherKind(m.pages.ConfirmDeletePolicy, m.pages.ConfirmDeleteOverride), Ordinary},
		{post, policies + "/{kind}/{name}/delete", Tenant, m.pages.EitherKind(m.pages.DeletePolicy, m.pages.DeleteOverride), Ordinary},

		{get, "/policies", Operator, m.pages.Policies, Ordinary},
		{post, "/policies", Operator, m.pages.EitherKind(m.pages.CreatePolicy, m.pages.CreateOverride), Ordinary},
		{get, "/policies/new", Operator, m.pages.EitherKind(m.pages.NewPolicy, m.pages.NewOverride), Ordinary},
		{get, "/policies/{kind}/{name}", Operator, m.pages.EitherKind(m.pages.Policy, m.pages.Override), Ordinary},
		{post, "/policies/{kind}/{name}", Operator, m.pages.EitherKind(m.pages.UpdatePolicy, m.pages.UpdateOverride), Ordinary},
		{get, "/policies/{kind}/{name}/edit", Operator, m.pages.EitherKind(m.pages.EditPolicy, m.pages.EditOverride), Ordinary},
		{get, "/policies/{kind}/{name}/delete", Operator, m.pages.EitherKind(m.pages.ConfirmDeletePolicy, m.pages.ConfirmDeleteOverride), Ordinary},
		{post, "/policies/{kind}/{name}/delete", Operator, m.pages.EitherKind(m.pages.DeletePolicy, m.pages.DeleteOverride), Ordinary},

		{get, resources, Tenant, m.pages.Resources, Ordinary}, // or the one that the query names
		{post, resources, Tenant, m.pages.SaveResource, Ordinary},
		{get, resources + "/new", Tenant, m.pages.NewResource, Ordinary},
		{get, resources + "/edit", Tenant, m.pages.EditResource, Ordinary},
		{get, resources + "/delete", Tenant, m.pages.ConfirmDeleteResource, Ordinary},
		{post, resources + "/delete", Tenant, m.pages.DeleteResource, Ordinary},

		{get, "/resources", Operator, m.pages.Resources, Ordinary}, // or the one that the query names
		{post, "/resources", Operator, m.pages.SaveResource, Ordinary},
		{get, "/resources/new", Operator, m.pages.NewResource, Ordinary},
		{get, "/resources/edit", Operator, m.pages.EditResource, Ordinary},
		{get, "/resources/delete", Operator, m.pages.ConfirmDeleteResource, Ordinary},
		{post, "/resources/delete", Operator, m.pages.DeleteResource, Ordinary},

		{get, "/settings/residency", Operator, m.pages.ResidencySettings, Ordinary},
		{post, "/settings/residency", Operator, m.pages.SaveResidencySettings, Ordinary},
		{get, "/nodes", Operator, m.pages.Nodes, Ordinary},
		{get, "/nodes/{node}/drain", Operator, m.pages.ConfirmDrain, Ordinary},
		{post, "/nodes/{node}/cordon", Operator, m.pages.CordonNode, Ordinary},
		{post, "/nodes/{node}/uncordon", Operator, m.pages.UncordonNode, Ordinary},
		{post, "/nodes/{node}/drain", Operator, m.pages.DrainNode, Ordinary},
		{get, "/clusters", Operator, m.pages.Clusters, Ordinary},
		{get, "/tenants", Operator, m.pages.Tenants, Ordinary},
		{get, "/audit", Operator, m.pages.Audit, Ordinary},

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
		{post, ns + "/deployments/{name}/reschedule", Tenant, m.api.RescheduleDeployment, Ordinary},

		{get, ns + "/propagationpolicies", Tenant, propagation.List, Ordinary},
		{post, ns + "/propagationpolicies", Tenant, propagation.Create, Ordinary},
		{get, ns + "/propagationpolicies/{name}", Tenant, propagation.Get, Ordinary},
		{put, ns + "/propagationpolicies/{name}", Tenant, propagation.Put, Ordinary},
		{del, ns + "/propagationpolicies/{name}", Tenant, propagation.Delete, Ordinary},
		{get, v1 + "/clusterpropagationpolicies", Operator, clusterPropagation.List, Ordinary},
		{post, v1 + "/clusterpropagationpolicies", Operator, clusterPropagation.Create, Ordinary},
		{get, v1 + "/clusterpropagationpolicies/{name}", Operator, clusterPropagation.Get, Ordinary},
		{put, v1 + "/clusterpropagationpolicies/{name}", Operator, clusterPropagation.Put, Ordinary},
		{del, v1 + "/clusterpropagationpolicies/{name}", Operator, clusterPropagation.Delete, Ordinary},
		{get, ns + "/overridepolicies", Tenant, override.List, Ordinary},
		{post, ns + "/overridepolicies", Tenant, override.Create, Ordinary},
		{get, ns + "/overridepolicies/{name}", Tenant, override.Get, Ordinary},
		{put, ns + "/overridepolicies/{name}", Tenant, override.Put, Ordinary},
		{del, ns + "/overridepolicies/{name}", Tenant, override.Delete, Ordinary},
		{get, v1 + "/clusteroverridepolicies", Operator, clusterOverride.List, Ordinary},
		{post, v1 + "/clusteroverridepolicies", Operator, clusterOverride.Create, Ordinary},
		{get, v1 + "/clusteroverridepolicies/{name}", Operator, clusterOverride.Get, Ordinary},
		{put, v1 + "/clusteroverridepolicies/{name}", Operator, clusterOverride.Put, Ordinary},
		{del, v1 + "/clusteroverridepolicies/{name}", Operator, clusterOverride.Delete, Ordinary},

		// One resource is named by ?apiVersion=&kind=&name=: the kinds are anybody's.
		{get, ns + "/resources", Tenant, m.api.GetResources, Ordinary},
		{post, ns + "/resources", Tenant, m.api.CreateResource, Ordinary},
		{put, ns + "/resources", Tenant, m.api.PutResource, Ordinary},
		{del, ns + "/resources", Tenant, m.api.DeleteResource, Ordinary},
		{get, ns + "/resources/placement", Tenant, m.api.GetResourcePlacement, Ordinary},
		{get, v1 + "/resources", Operator, m.api.GetResources, Ordinary}, // cluster-scoped ones
		{post, v1 + "/resources", Operator, m.api.CreateResource, Ordinary},
		{put, v1 + "/resources", Operator, m.api.PutResource, Ordinary},
		{del, v1 + "/resources", Operator, m.api.DeleteResource, Ordinary},
		{get, v1 + "/resources/placement", Operator, m.api.GetResourcePlacement, Ordinary},

		{post, ns + "/scheduler/simulate", Tenant, m.api.Simulate, Ordinary},

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
