package scheduler

import "fmt"

func (w *randomWorld) debug() {
	for _, d := range w.scheduler.picture.deployments {
		for _, c := range d.containers {
			_, in := w.store.containers[c.id()]
			if !in {
				w.log = append(w.log, fmt.Sprintf("%s on %s flags %b deleted %v again %v queued %v committing %v stale %v state %d", c.id(), c.node.name, c.flags, c.node.deleted, d.again, d.queued, d.committing, d.stale, c.state))
			}
		}
	}
}
