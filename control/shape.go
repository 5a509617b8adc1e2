package control

// This file only holds the place of methods whose bodies are being written; it goes with the last of them.

import (
	"context"
	"io"
	"time"

	"odysseus/fleet"
)

type hasher struct{}
type failures struct{}
type reports struct{}

func newHasher(io.Reader) *hasher { return &hasher{} }
func newFailures(Clock) *failures { return &failures{} }
func newReports() *reports        { return &reports{} }

// Hub wakes the long polls of agents.
type Hub struct{}

// NewHub makes a Hub that nobody listens to yet.
func NewHub() *Hub { return &Hub{} }

// AssignmentsChanged wakes the long polls of these nodes; the scheduler calls it after each commit.
func (h *Hub) AssignmentsChanged(nodes []string) {}

// Who is asking.

// Authenticate finds whose API token a bearer is; ErrUnauthenticated where it is nobody's, or expired.
func (c *Control) Authenticate(ctx context.Context, bearer, address string) (Actor, error) {
	panic("shape")
}

// AuthenticateAgent finds whose node credential a bearer is; ErrForbidden for an API token, ErrUnauthenticated for anything else.
func (c *Control) AuthenticateAgent(ctx context.Context, bearer, address string) (Agent, error) {
	panic("shape")
}

// ActorOf is the person of a signed-in session; ErrUnauthenticated where the user is gone or the session's epoch is over.
func (c *Control) ActorOf(ctx context.Context, userID string, epoch int64, address string) (Actor, error) {
	panic("shape")
}

// SignIn checks a password: ErrSignInFailed or *TooManyError. The session keeps the user's ID and SessionEpoch.
func (c *Control) SignIn(ctx context.Context, email, password, address string) (fleet.User, error) {
	panic("shape")
}

// Bootstrap is the first operator as the environment gives it.
type Bootstrap struct{ Operator, Password, Token string }

// Bootstrap creates the first operator on an empty database. Where there is none to create and nobody can sign in
// it answers a one-time set-up secret, to be printed as a link (/login?setup=SECRET or as cmd likes).
func (c *Control) Bootstrap(ctx context.Context, b Bootstrap) (setup string, faults fleet.FieldErrors, err error) {
	panic("shape")
}

// SetupOpen says whether the first-run set-up is still to be done.
func (c *Control) SetupOpen(ctx context.Context) (bool, error) { panic("shape") }

// SetupForm is what the first-run set-up asks.
type SetupForm struct{ Secret, Email, Password string }

// SetUp creates the first operator; ErrUnauthenticated where the secret is not the printed one or was used.
func (c *Control) SetUp(ctx context.Context, f SetupForm, address string) (fleet.User, fleet.FieldErrors, error) {
	panic("shape")
}

// ChangePassword of the actor; its other sessions end. Answers the user with the new epoch.
func (c *Control) ChangePassword(ctx context.Context, a Actor, current, next string) (fleet.User, fleet.FieldErrors, error) {
	panic("shape")
}

// EndSessions signs the actor out everywhere.
func (c *Control) EndSessions(ctx context.Context, a Actor) error { panic("shape") }

// Tenants, namespaces, people and tokens. An empty tenant means the platform's own users and tokens.

// NewTenant is the body of a POST.
type NewTenant struct {
	Name        string `json:"name" validate:"required,name"`
	DisplayName string `json:"displayName"`
}

// NewNamespace is the body of a POST.
type NewNamespace struct {
	Name string `json:"name" validate:"required,name"`
}

// NewUser is the body of a POST.
type NewUser struct {
	Email    string     `json:"email" validate:"required,address"`
	Password string     `json:"password" validate:"required"`
	Role     fleet.Role `json:"role" validate:"required"`
}

// NewToken is the body of a POST.
type NewToken struct {
	Name      string     `json:"name" validate:"required,name"`
	Role      fleet.Role `json:"role" validate:"required"`
	ExpiresIn string     `json:"expiresIn" validate:"omitempty,duration"`
}

// Issued is a token with its secret, which is shown this once and stored nowhere.
type Issued[T any] struct {
	Token  T
	Secret string
}

// Body is what was submitted for a small object: decoded, with the faults of decoding. Doc is nil for a form.
type Body[T any] struct {
	Value  T
	Faults fleet.FieldErrors
	Doc    *fleet.Doc
}

func (c *Control) Tenants(ctx context.Context, a Actor, o fleet.ListOptions) (Page[fleet.Tenant], error) {
	panic("shape")
}
func (c *Control) Tenant(ctx context.Context, a Actor, name string) (fleet.Tenant, error) {
	panic("shape")
}
func (c *Control) CreateTenant(ctx context.Context, a Actor, b Body[NewTenant], o WriteOptions) (Written[fleet.Tenant], fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) DeleteTenant(ctx context.Context, a Actor, name string, o WriteOptions) (Written[fleet.Tenant], fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) Namespaces(ctx context.Context, a Actor, tenant string, o fleet.ListOptions) (Page[fleet.Namespace], error) {
	panic("shape")
}

// OwnNamespaces are those that the actor may look into: the tenant's; all, for the platform's roles.
func (c *Control) OwnNamespaces(ctx context.Context, a Actor, o fleet.ListOptions) (Page[fleet.Namespace], error) {
	panic("shape")
}
func (c *Control) CreateNamespace(ctx context.Context, a Actor, tenant string, b Body[NewNamespace], o WriteOptions) (Written[fleet.Namespace], fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) Users(ctx context.Context, a Actor, tenant string, o fleet.ListOptions) (Page[fleet.User], error) {
	panic("shape")
}
func (c *Control) CreateUser(ctx context.Context, a Actor, tenant string, b Body[NewUser], o WriteOptions) (Written[fleet.User], fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) DeleteUser(ctx context.Context, a Actor, tenant, id string, o WriteOptions) (Written[fleet.User], fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) Tokens(ctx context.Context, a Actor, tenant string, o fleet.ListOptions) (Page[fleet.Token], error) {
	panic("shape")
}
func (c *Control) CreateToken(ctx context.Context, a Actor, tenant string, b Body[NewToken], o WriteOptions) (Written[Issued[fleet.Token]], fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) DeleteToken(ctx context.Context, a Actor, tenant, id string, o WriteOptions) (Written[fleet.Token], fleet.FieldErrors, error) {
	panic("shape")
}

// Clusters, enrolment and nodes.

// NewCluster is the body of a POST or PUT.
type NewCluster struct {
	Name    string            `json:"name" validate:"required,name"`
	Runtime string            `json:"runtime" validate:"omitempty,oneof=agents kubernetes"`
	Labels  map[string]string `json:"labels"`
	Tenants []string          `json:"tenants"`
}

// NewEnrolmentToken is the body of a POST.
type NewEnrolmentToken struct {
	ExpiresIn string `json:"expiresIn" validate:"omitempty,duration"`
	Uses      *int   `json:"uses" validate:"omitempty,min=1,max=1000"`
}

// DrainRequest is the body of a drain.
type DrainRequest struct {
	GraceSeconds *int `json:"graceSeconds" validate:"omitempty,min=0,max=86400"`
}

// ClusterView is a cluster with its nodes counted; for tenants without the counts and the list of tenants.
type ClusterView struct {
	fleet.Cluster
	NodesLive, Nodes int
}

// NodeView is a node with what is known of it beside its row. Operators and support only.
type NodeView struct {
	fleet.Node
	State fleet.NodeState
}

func (c *Control) Clusters(ctx context.Context, a Actor, o fleet.ListOptions) (Page[ClusterView], error) {
	panic("shape")
}
func (c *Control) Cluster(ctx context.Context, a Actor, name string) (ClusterView, error) {
	panic("shape")
}
func (c *Control) CreateCluster(ctx context.Context, a Actor, b Body[NewCluster], o WriteOptions) (Written[fleet.Cluster], fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) UpdateCluster(ctx context.Context, a Actor, name string, b Body[NewCluster], o WriteOptions) (Written[fleet.Cluster], fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) DeleteCluster(ctx context.Context, a Actor, name string, o WriteOptions) (Written[fleet.Cluster], fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) CreateEnrolmentToken(ctx context.Context, a Actor, cluster string, b Body[NewEnrolmentToken], o WriteOptions) (Written[Issued[fleet.EnrolmentToken]], fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) Nodes(ctx context.Context, a Actor, f fleet.NodeFilter, o fleet.ListOptions) (Page[NodeView], error) {
	panic("shape")
}
func (c *Control) Node(ctx context.Context, a Actor, name string) (NodeView, error) { panic("shape") }
func (c *Control) NodeContainers(ctx context.Context, a Actor, name string) ([]fleet.Container, error) {
	panic("shape")
}
func (c *Control) NodeEvents(ctx context.Context, a Actor, name string, o fleet.ListOptions) (Page[fleet.Event], error) {
	panic("shape")
}

// RefuseNodeWrite answers a PUT or PATCH of a node: nothing of it is anybody's to write but its agent's.
func (c *Control) RefuseNodeWrite(ctx context.Context, a Actor, name string) (fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) CordonNode(ctx context.Context, a Actor, name string, o WriteOptions) (Written[NodeView], fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) UncordonNode(ctx context.Context, a Actor, name string, o WriteOptions) (Written[NodeView], fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) DrainNode(ctx context.Context, a Actor, name string, b Body[DrainRequest], o WriteOptions) (Written[NodeView], fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) DeleteNode(ctx context.Context, a Actor, name string, o WriteOptions) (Written[NodeView], fleet.FieldErrors, error) {
	panic("shape")
}

// Deployments.

// Manifest is one deployment as submitted: the well-formed part decoded, the faults of decoding beside it. Doc is
// nil where it came as a form: its faults then have no line. A form puts what it has no field for into Deployment
// from the stored one.
type Manifest struct {
	Deployment fleet.Deployment
	Faults     fleet.FieldErrors
	Doc        *fleet.Doc
}

// ParseManifest reads a body that holds exactly one Deployment.
func ParseManifest(body []byte, format fleet.Format) Manifest { panic("shape") }

// DeploymentDetail is a deployment with everything its page shows: the warnings that are true now, and where it runs.
type DeploymentDetail struct {
	Deployment fleet.Deployment
	Warnings   []fleet.Warning
	Placement  fleet.PlacementReport
}

// Applied is what one document of an apply came to: created, updated or unchanged.
type Applied struct {
	Object   fleet.Deployment
	Result   string
	Warnings []fleet.Warning
}

// ApplyOptions are how an apply is asked for. Namespace is where documents without one go.
type ApplyOptions struct {
	Namespace string
	DryRun    bool
}

// RollbackRequest is the body of a rollback.
type RollbackRequest struct {
	Revision *int64 `json:"revision" validate:"required"`
}

// Deployments of a namespace, or with f.Namespace empty of all that the actor may look into. f.Tenant narrows for
// the platform's roles and is not heeded for others.
func (c *Control) Deployments(ctx context.Context, a Actor, f fleet.DeploymentFilter, o fleet.ListOptions) (Page[fleet.Deployment], error) {
	panic("shape")
}
func (c *Control) Deployment(ctx context.Context, a Actor, namespace, name string) (fleet.Deployment, error) {
	panic("shape")
}
func (c *Control) DeploymentDetail(ctx context.Context, a Actor, namespace, name string) (DeploymentDetail, error) {
	panic("shape")
}
func (c *Control) CreateDeployment(ctx context.Context, a Actor, namespace string, m Manifest, o WriteOptions) (Written[fleet.Deployment], fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) UpdateDeployment(ctx context.Context, a Actor, namespace, name string, m Manifest, o WriteOptions) (Written[fleet.Deployment], fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) DeleteDeployment(ctx context.Context, a Actor, namespace, name string, o WriteOptions) (Written[fleet.Deployment], fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) RollbackDeployment(ctx context.Context, a Actor, namespace, name string, b Body[RollbackRequest], o WriteOptions) (Written[fleet.Deployment], fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) Placement(ctx context.Context, a Actor, namespace, name string) (fleet.PlacementReport, error) {
	panic("shape")
}
func (c *Control) DeploymentEvents(ctx context.Context, a Actor, namespace, name string, o fleet.ListOptions) (Page[fleet.Event], error) {
	panic("shape")
}
func (c *Control) Revisions(ctx context.Context, a Actor, namespace, name string, o fleet.ListOptions) (Page[fleet.Revision], error) {
	panic("shape")
}

// Apply stores all documents or none; faults are those of parsing the stream.
func (c *Control) Apply(ctx context.Context, a Actor, docs []*fleet.Doc, faults fleet.FieldErrors, o ApplyOptions) ([]Applied, fleet.FieldErrors, error) {
	panic("shape")
}

// CountStates of the deployments that the actor may look into.
func (c *Control) CountStates(ctx context.Context, a Actor) (map[fleet.PlacementState]int, error) {
	panic("shape")
}

// PendingDeployment is a deployment with replicas that have no node, and every reason for it.
type PendingDeployment struct {
	Deployment fleet.Deployment
	Pending    fleet.PendingReplicas
}

// PendingFilter narrows the list of pending deployments.
type PendingFilter struct {
	Tenant string // not heeded for tenants
	Reason fleet.Code
}

// Pending lists pending deployments, oldest first.
func (c *Control) Pending(ctx context.Context, a Actor, f PendingFilter, o fleet.ListOptions) (Page[PendingDeployment], error) {
	panic("shape")
}

// Audit lists who wrote what, newest first.
func (c *Control) Audit(ctx context.Context, a Actor, o fleet.ListOptions) (Page[fleet.AuditEntry], error) {
	panic("shape")
}

// Geography and the operator's settings.

// GeoSettings are the effective settings, where those that are pinned are set, and the version of the stored ones.
type GeoSettings struct {
	fleet.GeoAwareness
	// Pinned holds where a setting is set, by key: enabled, onDrift, regions.
	Pinned          map[string]string
	ResourceVersion string
}

// GeoPatch is the body of a PUT: keys left out stay as they are.
type GeoPatch struct {
	Enabled *bool           `json:"enabled"`
	OnDrift *string         `json:"onDrift"`
	Regions *[]fleet.Region `json:"regions"`
}

// GeoWritten is what a change of the settings left behind and what it does.
type GeoWritten struct {
	Settings GeoSettings
	Impact   fleet.Impact
}

// Effective settings: the pinned over the stored. For cmd, at the start.
func (c *Control) Effective(ctx context.Context) (fleet.GeoAwareness, error) { panic("shape") }

// Regions that this control plane declares and whether enforcement is on: anyone signed in may ask.
func (c *Control) Regions(ctx context.Context, a Actor) (fleet.GeoAwareness, error) { panic("shape") }

// Geography is what the live nodes within the actor's reach advertise.
func (c *Control) Geography(ctx context.Context, a Actor) (fleet.Geography, error) { panic("shape") }
func (c *Control) GeoSettings(ctx context.Context, a Actor) (GeoSettings, error)   { panic("shape") }

// PutGeoSettings changes them; with DryRun it answers the impact alone.
func (c *Control) PutGeoSettings(ctx context.Context, a Actor, b Body[GeoPatch], o WriteOptions) (Written[GeoWritten], fleet.FieldErrors, error) {
	panic("shape")
}

// Agents.

// EnrolRequest is the body of an enrolment.
type EnrolRequest struct{}

// Enrolled is a node with its credential, which is shown this once.
type Enrolled struct {
	Node, Credential string
}

// StatusReport is the body of a status.
type StatusReport struct{}

func (c *Control) Enrol(ctx context.Context, b Body[EnrolRequest], address string) (Enrolled, fleet.FieldErrors, error) {
	panic("shape")
}
func (c *Control) Report(ctx context.Context, a Agent, b Body[StatusReport]) (fleet.FieldErrors, error) {
	panic("shape")
}

// Assignments of the agent's node; with since > 0 it waits up to wait for a version past it.
func (c *Control) Assignments(ctx context.Context, a Agent, since int64, wait time.Duration) (fleet.AssignmentList, error) {
	panic("shape")
}
