package agent

import (
	"context"
	"errors"
	"time"

	"odysseus/fleet"
)

// poll keeps the list of assignments current by long polls.
func (a *Agent) poll(ctx context.Context) {
	away := condition{log: a.log}
	retry := backoff{random: a.random}
	for ctx.Err() == nil {
		since, call, end := a.beginPoll(ctx)
		began := a.clock.Now()
		list, err := a.client.Assignments(call, since)
		begunAnew := call.Err() != nil
		end()
		var pause time.Duration
		switch {
		case err == nil:
			a.take(list)
			away.over(ctx, "assignments arrive again")
			retry.reset()
			if took := a.clock.Now().Sub(began); list.Version <= since && took < shortPoll {
				pause = shortPoll
			}
		case ctx.Err() != nil:
			return
		case begunAnew && errors.Is(err, context.Canceled):
		default:
			away.failed(ctx, err)
			pause = a.pauseAfter(err, &retry)
		}
		if pause > 0 && !a.wait(ctx, pause) {
			return
		}
	}
}

func (a *Agent) beginPoll(ctx context.Context) (since int64, call context.Context, end context.CancelFunc) {
	call, end = context.WithCancel(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.anew = end
	return a.since, call, end
}

// pollAnew has the whole list answered at once.
func (a *Agent) pollAnew() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.since = 0
	if a.anew != nil {
		a.anew()
	}
}

// take makes a list the one to carry out, whatever its version: it is whole, and a control plane that was restored
// from a backup counts from there.
func (a *Agent) take(list fleet.AssignmentList) {
	a.mu.Lock()
	a.list, a.listed, a.since = list.Containers, true, list.Version
	a.mu.Unlock()
	mark(a.wake)
}
