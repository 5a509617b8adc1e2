package control

import (
	"context"
	"strconv"
	"time"

	"odysseus/fleet"
)

// NewEnrolmentToken is the body of a POST. Without expiresIn a token lives for an hour, without uses it is good
// for one node.
type NewEnrolmentToken struct {
	ExpiresIn string `json:"expiresIn" validate:"omitempty,duration"`
	Uses      *int   `json:"uses" validate:"omitempty,min=1,max=1000"`
}

// Lives of enrolment tokens: short, since whoever holds one can add a machine.
const (
	defaultEnrolmentLife = time.Hour
	maxEnrolmentLife     = 30 * 24 * time.Hour
)

// CreateEnrolmentToken issues a token that lets agents join the cluster.
func (c *Control) CreateEnrolmentToken(ctx context.Context, a Actor, cluster string, b Body[NewEnrolmentToken], o WriteOptions) (Written[Issued[fleet.EnrolmentToken]], fleet.FieldErrors, error) {
	s := &subject{verb: "create", kind: kindEnrolmentToken, name: cluster}
	issued, refused, err := write(ctx, c, a, s, o.DryRun,
		func(tx Reader) (Issued[fleet.EnrolmentToken], fleet.FieldErrors, error) {
			if _, err := tx.Cluster(ctx, cluster); err != nil {
				return Issued[fleet.EnrolmentToken]{}, nil, err
			}
			life, further := lifetime(b.Value.ExpiresIn, defaultEnrolmentLife, maxEnrolmentLife)
			faults, err := c.mayCreate(a, kindEnrolmentToken, b.check(further...))
			if err != nil || len(faults) > 0 {
				return Issued[fleet.EnrolmentToken]{}, faults, err
			}
			uses := 1
			if b.Value.Uses != nil {
				uses = *b.Value.Uses
			}
			secret, err := c.secret(prefixEnrolment)
			now := c.deps.Now().UTC()
			return Issued[fleet.EnrolmentToken]{Secret: secret, Token: fleet.EnrolmentToken{ID: c.deps.NewID(), Cluster: cluster, Hash: hashSecret(secret),
				Uses: uses, CreatedAt: now, ExpiresAt: now.Add(life)}}, nil, err
		},
		func(tx Writer, i *Issued[fleet.EnrolmentToken]) (effect, error) {
			return effect{changes: []fleet.Change{{Field: "uses", After: strconv.Itoa(i.Token.Uses)}, {Field: "expiresAt", After: i.Token.ExpiresAt.Format(time.RFC3339)}}},
				tx.InsertEnrolmentToken(ctx, i.Token)
		})
	if err != nil || len(refused) > 0 {
		return Written[Issued[fleet.EnrolmentToken]]{}, refused, err
	}
	return Written[Issued[fleet.EnrolmentToken]]{Object: issued, Created: true}, nil, nil
}
