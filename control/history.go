package control

import (
	"context"

	"odysseus/fleet"
)

// Audit lists who wrote what when, from where, accepted or refused, newest first.
func (c *Control) Audit(ctx context.Context, a Actor, o fleet.ListOptions) (Page[fleet.AuditEntry], error) {
	var page Page[fleet.AuditEntry]
	err := c.read(ctx, a, kindAudit, func(tx Reader) (err error) {
		page, err = listOf(o, wordsOfAudit, func(o fleet.ListOptions) ([]fleet.AuditEntry, string, error) { return tx.Audit(ctx, o) })
		return err
	})
	return page, wrap("list audit", err)
}
