package control

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"odysseus/fleet"
)

// subject is what a write is about, as its audit entry names it. The tenant may be filled in by the plan, once it
// is known whose the thing is.
type subject struct {
	verb, kind              string
	tenant, namespace, name string
	// rule is the kind in the table of authorisation, where the audit names something more exact.
	rule string
}

func (s *subject) judgedAs() string {
	if s.rule != "" {
		return s.rule
	}
	return s.kind
}

// effect is what storing came to. With refused not empty nothing was written; with nothing set there was nothing
// to write, and nothing to audit either.
type effect struct {
	changes []fleet.Change
	refused fleet.FieldErrors
	nothing bool
}

// write is the road of every write. The plan reads and judges: it authorises, admits and drafts what is to be
// stored, all in the transaction that stores it, so nothing changes in between. Then store writes the draft and
// the audit entry follows, in the same transaction. Of a refused write, whether plan answers faults or one of the
// sentinels, the transaction holds the audit entry alone. A dry run plans and stops.
//
// The draft that plan answers and store completes is the result. Side effects come after write, when it is durable.
func write[D any](
	ctx context.Context, c *Control, a Actor, s *subject, dry bool,
	plan func(Reader) (D, fleet.FieldErrors, error),
	store func(Writer, *D) (effect, error),
) (D, fleet.FieldErrors, error) {
	seen := func(tx Reader) (D, fleet.FieldErrors, error) {
		if err := mayRead(a, s.judgedAs()); err != nil {
			var none D
			return none, nil, err
		}
		return plan(tx)
	}
	return record(ctx, c, a, s, dry, seen, store)
}

// record is write without asking for a role: for those who have none yet (an enrolment, a first operator).
func record[D any](
	ctx context.Context, c *Control, a Actor, s *subject, dry bool,
	plan func(Reader) (D, fleet.FieldErrors, error),
	store func(Writer, *D) (effect, error),
) (D, fleet.FieldErrors, error) {
	var none, draft D
	var refused fleet.FieldErrors
	if dry {
		err := c.deps.Store.View(ctx, func(tx Reader) (err error) {
			draft, refused, err = plan(tx)
			return err
		})
		if err != nil || len(refused) > 0 {
			return none, refused, s.wrap(err)
		}
		return draft, nil, nil
	}
	var answer error
	err := c.deps.Store.Update(ctx, func(tx Writer) (err error) {
		var e effect
		draft, refused, answer = plan(tx)
		if answer == nil && len(refused) == 0 {
			e, answer = store(tx, &draft)
			refused = e.refused
		}
		if answer != nil && codeOf(answer) == "" {
			return answer // something broke: nothing is written, the entry neither
		}
		if e.nothing {
			return nil
		}
		return tx.AppendAudit(ctx, c.auditEntry(a, *s, refused, answer, e.changes))
	})
	if err != nil {
		return none, nil, s.wrap(err)
	}
	if answer != nil || len(refused) > 0 {
		if c.deps.Refused != nil {
			for i := range refused {
				c.deps.Refused(refused[i].Code)
			}
		}
		return none, refused, s.wrap(answer)
	}
	return draft, nil, nil
}

func (s *subject) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s %q: %w", s.verb, s.kind, s.name, err)
}

// codeOf names a sentinel as the audit does; empty for an error that means that something broke.
func codeOf(err error) fleet.Code {
	var tooMany *TooManyError
	switch {
	case errors.Is(err, fleet.ErrNotFound):
		return fleet.CodeNotFound
	case errors.Is(err, fleet.ErrStale):
		return fleet.CodeStale
	case errors.Is(err, ErrForbidden):
		return fleet.CodeForbidden
	case errors.Is(err, ErrUnauthenticated):
		return fleet.CodeUnauthenticated
	case errors.Is(err, ErrSignInFailed):
		return fleet.CodeSignInFailed
	case errors.As(err, &tooMany):
		return fleet.CodeTooManyRequests
	}
	return ""
}

// maxAuditChanges bounds one entry: a manifest may have a hundred thousand faults.
const maxAuditChanges = 100

func (c *Control) auditEntry(a Actor, s subject, refused fleet.FieldErrors, answer error, changes []fleet.Change) fleet.AuditEntry {
	e := fleet.AuditEntry{
		Time: c.deps.Now().UTC(), Actor: cut(a.Name), Role: a.Role, Tenant: s.tenant, Address: a.Address,
		Verb: s.verb, Kind: s.kind, Namespace: cut(s.namespace), Name: cut(s.name),
		Accepted: answer == nil && len(refused) == 0,
	}
	if e.Tenant == "" {
		e.Tenant = a.Tenant
	}
	if code := codeOf(answer); code != "" {
		e.Codes = []fleet.Code{code}
	}
	for _, f := range refused {
		if !slices.Contains(e.Codes, f.Code) {
			e.Codes = append(e.Codes, f.Code)
		}
		changes = append(changes, fleet.Change{Field: f.Field, After: f.Value})
	}
	e.Changes = bounded(changes)
	return e
}

func bounded(changes []fleet.Change) []fleet.Change {
	out := slices.Clone(changes[:min(len(changes), maxAuditChanges)])
	for i, change := range out {
		out[i] = fleet.Change{Field: cut(change.Field), Before: cut(change.Before), After: cut(change.After)}
	}
	return out
}

// cut keeps the first characters of a text that the audit quotes.
func cut(text string) string {
	if len(text) <= fleet.MaxAuditText {
		return text
	}
	runes := []rune(text)
	if len(runes) <= fleet.MaxAuditText {
		return text
	}
	return string(runes[:fleet.MaxAuditText])
}
