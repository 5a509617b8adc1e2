package control

import "sync"

// Hub wakes the long polls of agents. It holds nothing but who waits: a wake-up that nobody waits for is lost, and
// the next poll finds the version in the store.
type Hub struct {
	mu      sync.Mutex
	waiting map[string]chan struct{} // by node; closed to wake all who wait
}

// NewHub makes a Hub that nobody waits at yet.
func NewHub() *Hub { return &Hub{waiting: map[string]chan struct{}{}} }

// AssignmentsChanged wakes the long polls of these nodes; the scheduler calls it after each commit.
func (h *Hub) AssignmentsChanged(nodes []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, node := range nodes {
		if woken, ok := h.waiting[node]; ok {
			close(woken)
			delete(h.waiting, node)
		}
	}
}

// wait answers a channel that is closed at the next change of the node's list. Take it before reading the list, so
// that no change falls in between.
func (h *Hub) wait(node string) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	woken, ok := h.waiting[node]
	if !ok {
		woken = make(chan struct{})
		h.waiting[node] = woken
	}
	return woken
}
