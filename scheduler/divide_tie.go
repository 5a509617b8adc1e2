package scheduler

import "math/bits"

// tie decides between clusters that are otherwise equal, by "the smaller hash of namespace, name and cluster, so that
// no cluster always gets the remainder, while preview and placement always agree".
//
// The hash is part of what is promised: another one would move remainders at an upgrade. Each of the three texts is
// taken in words of eight bytes, the first byte lowest, the last word filled up with zeros, and then its length; each
// word is XORed in, and what comes of it multiplied to 128 bits by the odd number next to 2⁶⁴/φ, whose halves are XORed; at
// the end stands MurmurHash3's finisher. Nothing depends on it but fairness, so it need not withstand anybody.
type tie struct{ state uint64 }

func newTie(namespace, name string) tie {
	return tie{mixText(mixText(0, namespace), name)}
}

func (t tie) hash(cluster string) uint64 {
	h := mixText(t.state, cluster)
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

func mixText(h uint64, s string) uint64 {
	length := uint64(len(s))
	for ; len(s) >= 8; s = s[8:] {
		h = mix(h, uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|
			uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)
	}
	word := uint64(0)
	for i := len(s) - 1; i >= 0; i-- {
		word = word<<8 | uint64(s[i])
	}
	return mix(mix(h, word), length)
}

func mix(h, word uint64) uint64 {
	high, low := bits.Mul64(h^word, 0x9e3779b97f4a7c15)
	return high ^ low
}
