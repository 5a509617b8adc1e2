package control

// CheapHashes lets tests of everything around a password not wait for it. What it costs in production is
// TestAHashCostsWhatItShould's.
func (c *Control) CheapHashes() { c.passwords.cost = cost{memory: 64, passes: 1, lanes: 1} }

// Restart lets a test's control plane find another configuration, as its next start would.
func (c *Control) Restart(p Pinned) { c.deps.Pinned = p }
