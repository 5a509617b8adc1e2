package agent

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"odysseus/fleet"
)

// heartbeat reports the node's status as often as the control plane asks, and at once when a container's state or
// the node's own configuration changes.
func (a *Agent) heartbeat(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-a.ready:
	}
	away, refused := condition{log: a.log}, condition{log: a.log}
	retry := backoff{random: a.random}
	for {
		pause, at := a.report(ctx, &away, &refused, &retry)
		select {
		case <-ctx.Done():
			return
		case <-a.clock.After(pause):
		case <-at:
		}
	}
}

// report answers how long to wait, and what else ends the waiting: nothing while the control plane is away, since
// what changes then is reported when it is back.
func (a *Agent) report(ctx context.Context, away, refused *condition, retry *backoff) (time.Duration, <-chan struct{}) {
	select {
	case <-a.changed: // what changed until now is in this report
	default:
	}
	pace, err := a.client.Report(ctx, a.status())
	switch {
	case err == nil:
		a.obey(pace)
		refused.over(ctx, "the control plane accepts the report again")
	case errors.Is(err, ErrRefused):
		// The node counts as alive, and only a change of what is said can help.
		refused.begins(ctx, slog.LevelError, "the control plane refuses the report", err)
		if answer := (*AnswerError)(nil); errors.As(err, &answer) && answer.names(fleet.CodeContainerUnknown) {
			a.pollAnew() // the list moved on in between
		}
	default:
		if ctx.Err() == nil {
			away.failed(ctx, err)
		}
		return a.pauseAfter(err, retry), nil
	}
	away.over(ctx, "the control plane is back")
	retry.reset()
	return early(a.every(), a.random()), a.changed
}
