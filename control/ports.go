package control

import (
	"context"
	"time"

	"odysseus/fleet"
)

// Store is the database as control sees it: one file, many readers, one writer.
//
// View runs fn in one read transaction, so all it reads is of one moment. Update runs fn in a write transaction:
// when Update answers nil, everything fn wrote is durable; when fn or the commit fails, nothing is. Concurrent
// Updates may share a commit, each as if alone. fn must not block on anything but the store.
type Store interface {
	View(ctx context.Context, fn func(Reader) error) error
	Update(ctx context.Context, fn func(Writer) error) error
}

// StoreOf makes a Store of a database whose transaction satisfies Writer by shape, so that the database need
// not know this package.
func StoreOf[T Writer](view, update func(context.Context, func(T) error) error) Store {
	return storeOf[T]{view, update}
}

type storeOf[T Writer] struct {
	view, update func(context.Context, func(T) error) error
}

func (s storeOf[T]) View(ctx context.Context, fn func(Reader) error) error {
	return s.view(ctx, func(tx T) error { return fn(tx) })
}

func (s storeOf[T]) Update(ctx context.Context, fn func(Writer) error) error {
	return s.update(ctx, func(tx T) error { return fn(tx) })
}

// Reader is a transaction that reads. Single look-ups answer fleet.ErrNotFound; lists answer the cursor of the
// next page, empty at the end.
type Reader interface {
	TenantReader
	AccountReader
	ClusterReader
	NodeReader
	DeploymentReader
	PolicyReader
	ResourceReader
	HistoryReader
	SettingsReader
}

// Writer is a transaction that also writes. Inserts answer fleet.ErrExists for a name that is taken.
type Writer interface {
	Reader
	TenantWriter
	AccountWriter
	ClusterWriter
	NodeWriter
	DeploymentWriter
	PolicyWriter
	ResourceWriter
	HistoryWriter
	SettingsWriter
}

// TenantReader reads tenants and namespaces.
type TenantReader interface {
	Tenant(ctx context.Context, name string) (fleet.Tenant, error)
	Tenants(ctx context.Context, o fleet.ListOptions) ([]fleet.Tenant, string, error)
	Namespace(ctx context.Context, name string) (fleet.Namespace, error)
	// Namespaces of one tenant; of all with an empty tenant.
	Namespaces(ctx context.Context, tenant string, o fleet.ListOptions) ([]fleet.Namespace, string, error)
}

// TenantWriter writes tenants and namespaces.
type TenantWriter interface {
	InsertTenant(ctx context.Context, t fleet.Tenant) error
	// DeleteTenant also deletes its namespaces, users, tokens and cluster grants. The caller has made sure that
	// no deployment and no container is left.
	DeleteTenant(ctx context.Context, name string) error
	InsertNamespace(ctx context.Context, n fleet.Namespace) error
}

// AccountReader reads users and tokens. An empty tenant means the platform's own.
type AccountReader interface {
	CountUsers(ctx context.Context) (int, error)
	UserByEmail(ctx context.Context, email string) (fleet.User, error)
	User(ctx context.Context, id string) (fleet.User, error)
	Users(ctx context.Context, tenant string, o fleet.ListOptions) ([]fleet.User, string, error)
	TokenByHash(ctx context.Context, hash string) (fleet.Token, error)
	Tokens(ctx context.Context, tenant string, o fleet.ListOptions) ([]fleet.Token, string, error)
}

// AccountWriter writes users and tokens.
type AccountWriter interface {
	InsertUser(ctx context.Context, u fleet.User) error
	// UpdateUser writes PasswordHash and SessionEpoch.
	UpdateUser(ctx context.Context, u fleet.User) error
	DeleteUser(ctx context.Context, tenant, id string) error
	InsertToken(ctx context.Context, t fleet.Token) error
	DeleteToken(ctx context.Context, tenant, id string) error
}

// ClusterReader reads clusters and their enrolment tokens.
type ClusterReader interface {
	Cluster(ctx context.Context, name string) (fleet.Cluster, error)
	// Clusters granted to the tenant; all with an empty tenant.
	Clusters(ctx context.Context, tenant string, o fleet.ListOptions) ([]fleet.Cluster, string, error)
	EnrolmentTokenByHash(ctx context.Context, hash string) (fleet.EnrolmentToken, error)
}

// ClusterWriter writes clusters and their enrolment tokens.
type ClusterWriter interface {
	// InsertCluster and UpdateCluster answer the cluster with its new resourceVersion.
	InsertCluster(ctx context.Context, c fleet.Cluster) (fleet.Cluster, error)
	UpdateCluster(ctx context.Context, c fleet.Cluster) (fleet.Cluster, error)
	DeleteCluster(ctx context.Context, name string) error
	InsertEnrolmentToken(ctx context.Context, t fleet.EnrolmentToken) error
	// UseEnrolmentToken counts one use.
	UseEnrolmentToken(ctx context.Context, id string) error
}

// NodeReader reads nodes and what they run.
type NodeReader interface {
	Node(ctx context.Context, name string) (fleet.Node, error)
	NodeByCredential(ctx context.Context, hash string) (fleet.Node, error)
	Nodes(ctx context.Context, f fleet.NodeFilter, o fleet.ListOptions) ([]fleet.Node, string, error)
	NodeContainers(ctx context.Context, node string) ([]fleet.Container, error)
	// Assignments is the node's whole list, sorted by container ID. A container whose deployment is gone is
	// listed with Stop.
	Assignments(ctx context.Context, node string) (fleet.AssignmentList, error)
	// ReplicaContainers are the names of the containers of a replica of that revision of the deployment or resource, nil
	// where it has only one; ErrNotFound where it is gone.
	ReplicaContainers(ctx context.Context, uid string, revision int64) ([]string, error)
	// RenderedContainers are the same of a replica that runs what overrides made of the deployment or resource: the
	// rendering decides, and not the revision. ErrNotFound where no such rendering is kept.
	RenderedContainers(ctx context.Context, uid string, rendering int64) ([]string, error)
	// WorkloadKind is Deployment where the UID is that of no resource.
	WorkloadKind(ctx context.Context, uid string) (string, error)
	DeploymentContainers(ctx context.Context, uid string) ([]fleet.Container, error)
}

// NodeWriter writes nodes and what agents report.
type NodeWriter interface {
	InsertNode(ctx context.Context, n fleet.Node, credentialHash string) (fleet.Node, error)
	// UpdateNode writes labels, capacity, cordon, drain and refusal, and answers the node with its new version.
	UpdateNode(ctx context.Context, n fleet.Node) (fleet.Node, error)
	// DeleteNode also deletes the rows of its containers: nothing is known of them any more.
	DeleteNode(ctx context.Context, name string) error
	// ReportContainer writes state, message, restarts and start time of a container of that node, and what they sum up
	// where a replica has several (nil for a replica of one); false where the node has no such container.
	ReportContainer(ctx context.Context, node string, r fleet.ContainerReport, parts map[string]fleet.ContainerReport) (bool, error)
}

// DeploymentReader reads deployments. Every query of a tenant names it; the platform's roles pass "".
type DeploymentReader interface {
	Deployment(ctx context.Context, tenant, namespace, name string) (fleet.Deployment, error)
	Deployments(ctx context.Context, f fleet.DeploymentFilter, o fleet.ListOptions) ([]fleet.Deployment, string, error)
	// CountStates of a tenant's deployments; of all with an empty tenant.
	CountStates(ctx context.Context, tenant string) (map[fleet.PlacementState]int, error)
	// CountDrifting counts those of them that run something outside their residency.
	CountDrifting(ctx context.Context, tenant string) (int, error)
	// RegionUse counts the deployments that name each region.
	RegionUse(ctx context.Context) (map[string]int, error)
	Revisions(ctx context.Context, uid string, o fleet.ListOptions) ([]fleet.Revision, string, error) // newest first
	Revision(ctx context.Context, uid string, number int64) (fleet.Revision, error)
}

// DeploymentWriter writes deployments. Insert and Update answer the deployment with its new resourceVersion; a
// spec whose Revision is new also becomes a row of its revisions.
type DeploymentWriter interface {
	InsertDeployment(ctx context.Context, d fleet.Deployment, actor string) (fleet.Deployment, error)
	UpdateDeployment(ctx context.Context, d fleet.Deployment, actor string) (fleet.Deployment, error)
	// DeleteDeployment leaves the containers' rows: the scheduler stops them.
	DeleteDeployment(ctx context.Context, tenant, uid string) error
}

// PolicyReader reads propagation and override policies. Namespaced ones are the tenant's; the platform's roles pass "".
// Neither kind is ever among the other's.
type PolicyReader interface {
	// Policy by kind, namespace (empty for a cluster-wide one) and name.
	Policy(ctx context.Context, tenant string, ref fleet.PolicyRef) (fleet.Policy, error)
	Policies(ctx context.Context, f fleet.PolicyFilter, o fleet.ListOptions) ([]fleet.Policy, string, error)
	Override(ctx context.Context, tenant string, ref fleet.PolicyRef) (fleet.Override, error)
	Overrides(ctx context.Context, f fleet.PolicyFilter, o fleet.ListOptions) ([]fleet.Override, string, error)
}

// PolicyWriter writes propagation and override policies. Insert and Update answer the policy with its new
// resourceVersion.
type PolicyWriter interface {
	InsertPolicy(ctx context.Context, p fleet.Policy) (fleet.Policy, error)
	UpdatePolicy(ctx context.Context, p fleet.Policy) (fleet.Policy, error)
	// DeletePolicy also frees what the policy holds: each binding to it loses it, and is Kept where
	// p.KeepsOnPolicyDeletion says so.
	DeletePolicy(ctx context.Context, p fleet.Policy) error
	InsertOverride(ctx context.Context, o fleet.Override) (fleet.Override, error)
	UpdateOverride(ctx context.Context, o fleet.Override) (fleet.Override, error)
	DeleteOverride(ctx context.Context, o fleet.Override) error
}

// ResourceReader reads resources other than odysseus/v1 Deployments, and the bindings of both. Preserved ones answer
// to Preserved alone. A Secret's values are hidden.
type ResourceReader interface {
	Resource(ctx context.Context, tenant string, key fleet.ResourceKey) (fleet.StoredResource, error)
	Resources(ctx context.Context, f fleet.ResourceFilter, o fleet.ListOptions) ([]fleet.StoredResource, string, error)
	// PreservedResource was deleted under that key and its copies stay; ErrNotFound where there is none.
	PreservedResource(ctx context.Context, tenant string, key fleet.ResourceKey) (fleet.StoredResource, error)
	// PreservedDeployment is the same of an odysseus/v1 Deployment.
	PreservedDeployment(ctx context.Context, tenant, namespace, name string) (fleet.Deployment, error)
	// PendingWorkloads are a tenant's deployments and resources that are pending, the longest first; all with an empty
	// tenant.
	PendingWorkloads(ctx context.Context, tenant string, o fleet.ListOptions) ([]fleet.Workload, string, error)
	// CountResourceStates is CountStates of the resources that have a replica count.
	CountResourceStates(ctx context.Context, tenant string) (map[fleet.PlacementState]int, error)
	// DefinedScopes are what the stored CustomResourceDefinitions say.
	DefinedScopes(ctx context.Context) (fleet.Scopes, error)
	// Binding of a deployment or resource; the zero value where there is none.
	Binding(ctx context.Context, uid string) (fleet.Binding, error)
	// ChangedSecretKeys are those of the given keys of a Secret's data whose value is not what is stored, sorted. Values
	// are base64; fleet.HiddenValue is whatever is stored.
	ChangedSecretKeys(ctx context.Context, uid string, data map[string]string) ([]string, error)
}

// ResourceWriter writes resources. Insert and Update answer the resource with its new resourceVersion. A value of a
// Secret that is fleet.HiddenValue stays what is stored; the caller has made sure that there is one.
type ResourceWriter interface {
	InsertResource(ctx context.Context, r fleet.StoredResource) (fleet.StoredResource, error)
	// UpdateResource also takes a preserved one back into use, where r.Preserved is false.
	UpdateResource(ctx context.Context, r fleet.StoredResource) (fleet.StoredResource, error)
	// DeleteResource leaves the containers' rows: the scheduler stops them.
	DeleteResource(ctx context.Context, tenant, uid string) error
	// PreserveResource and PreserveDeployment take it out of every list, and leave all else.
	PreserveResource(ctx context.Context, tenant, uid string) error
	PreserveDeployment(ctx context.Context, tenant, uid string) error
}

// HistoryReader reads events and the audit, newest first.
type HistoryReader interface {
	Events(ctx context.Context, tenant, uid string, o fleet.ListOptions) ([]fleet.Event, string, error)
	NodeEvents(ctx context.Context, node string, o fleet.ListOptions) ([]fleet.Event, string, error)
	Audit(ctx context.Context, o fleet.ListOptions) ([]fleet.AuditEntry, string, error)
}

// HistoryWriter appends events and audit entries.
type HistoryWriter interface {
	AppendEvent(ctx context.Context, e fleet.Event) error
	AppendAudit(ctx context.Context, e fleet.AuditEntry) error
}

// SettingsReader reads what operators set in the console.
type SettingsReader interface {
	// GeoAwareness as stored, with its resourceVersion; the zero value with version "0" where nothing is.
	GeoAwareness(ctx context.Context) (fleet.GeoAwareness, string, error)
	// Setting reads one value that the control plane keeps for itself; ErrNotFound where there is none.
	Setting(ctx context.Context, key string) (string, error)
}

// SettingsWriter writes what operators set in the console.
type SettingsWriter interface {
	PutGeoAwareness(ctx context.Context, g fleet.GeoAwareness) (version string, err error)
	PutSetting(ctx context.Context, key, value string) error
	DeleteSetting(ctx context.Context, key string) error
}

// Scheduler is told what was committed. Each call takes effect in its picture of the fleet before it returns,
// so that what a caller asks Fleet next is already true of it; placing follows in the background. Calls may come
// out of order: an older version of a thing never overwrites a newer one.
type Scheduler interface {
	DeploymentChanged(d fleet.Deployment)
	// DeploymentDeleted, too, where d.Preserved says that what it distributed stays.
	DeploymentDeleted(d fleet.Deployment)
	ResourceChanged(r fleet.StoredResource)
	// ResourceDeleted, too, where r.Preserved says that what it distributed stays.
	ResourceDeleted(r fleet.StoredResource)
	PolicyChanged(p fleet.Policy)
	PolicyDeleted(p fleet.Policy)
	OverrideChanged(o fleet.Override)
	OverrideDeleted(o fleet.Override)
	ClusterChanged(c fleet.Cluster)
	ClusterDeleted(name string)
	NodeChanged(n fleet.Node)
	NodeDeleted(name string)
	// Heartbeat renews the node's lease.
	Heartbeat(node string)
	// Reported says that the agent's accepted report changed these containers of its node.
	Reported(node string, changed []fleet.ContainerReport)
	GeoAwarenessChanged(g fleet.GeoAwareness)
}

// Fleet answers from the scheduler's picture, without I/O.
type Fleet interface {
	// Geography is what the live nodes within the tenant's reach advertise; of all with an empty tenant.
	Geography(tenant string) fleet.Geography
	// AnyMatch says whether a live node within reach would pass the geo filter, were it on; cordoned and full
	// nodes count.
	AnyMatch(tenant string, labels map[string]string) bool
	// Simulated says whether a live node within the tenant's reach runs the simulated runtime; any with an empty
	// tenant.
	Simulated(tenant string) bool
	// Placement of a deployment or resource; detail adds the nodes, for operators and support. One that it does not
	// know is Waiting.
	Placement(uid string, detail bool) fleet.PlacementReport
	// Impact of a change of GeoAwareness, without RegionInUse.
	Impact(g fleet.GeoAwareness) fleet.Impact
	// Simulate answers where a resource would go, and why not elsewhere; nothing is stored.
	Simulate(q fleet.Simulation) fleet.SimulationReport
	// Reach is what a policy, stored or not, selects among the stored resources of the tenant (of all with an empty
	// tenant), sorted by namespace, kind and name, and who holds each.
	Reach(p *fleet.Policy, tenant string) []fleet.Reached
	// NodeState is false where the node is unknown.
	NodeState(name string) (fleet.NodeState, bool)
	// ClusterNodes counts the live and all nodes of a cluster.
	ClusterNodes(name string) (live, all int)
}

// Clock tells the time; the real one in production.
type Clock func() time.Time
