import { emptySnapshot, type RegisterSnapshot } from '../../protocol/index.js'
import type { RegisterReads } from '../context.js'
import { momentOf } from '../invalidation-clock.js'
import type { ResultCoherence } from './result-register.js'

/**
 * What tells whether a result counts that reads several models: all of their registers. It carries the epochs of all, as they were before
 * its load, and any of them that is another one ends it. It is stored where each of them would let it.
 *
 * @param parts of one process, in an order that all processes have
 */
export function jointCoherence(parts: readonly [ResultCoherence, ...ResultCoherence[]]): ResultCoherence {
  const [first, ...others] = parts
  if (others.length === 0) return first
  const backplanes = [...new Set(parts.flatMap(({ backplane }) => backplane ?? []))]
  return {
    leases: first.leases,
    backplane: {
      get isUp() {
        return backplanes.every(({ isUp }) => isUp)
      },
      start: () => backplanes.forEach((backplane) => backplane.start()),
    },
    register: jointRegister(parts.map(({ register }) => register)),
    clock: {
      now: () => parts.map(({ clock }) => clock.now()),
      isCurrent: (row, since) => parts.every(({ clock }, i) => clock.isCurrent(row, momentOf(since, i))),
      isHeld: (row, since) => parts.every(({ clock }, i) => clock.isHeld(row, momentOf(since, i))),
    },
    pending: {
      get isEmpty() {
        return parts.every(({ pending }) => pending.isEmpty)
      },
      get size() {
        return parts.some(({ pending }) => pending.size !== 0) ? 'all' : 0
      },
      has: (row) => parts.some(({ pending }) => pending.has(row)),
    },
  }
}

function jointRegister(registers: readonly RegisterReads[]): RegisterReads {
  const [first] = registers as [RegisterReads]
  return {
    get fingerprints() {
      return first.fingerprints
    },
    get joiningForMs() {
      return Math.max(...registers.map(({ joiningForMs }) => joiningForMs))
    },
    /** All are of one namespace, and know its losses. */
    get losses() {
      return first.losses
    },
    read: async () => joint(await Promise.all(registers.map((register) => register.read()))),
    readForLoaded: async () =>
      joint(await Promise.all(registers.map((register) => register.readForLoaded()))),
  }
}

function joint(snapshots: readonly RegisterSnapshot[]): RegisterSnapshot {
  const epochs = snapshots.map(({ epoch }) => epoch)
  if (epochs.includes(null)) return emptySnapshot
  const epoch = epochs.join('.')
  const leasesUntilMs = snapshots.flatMap(({ leaseUntilMs }) => leaseUntilMs ?? [])
  return {
    epoch,
    existence: epoch,
    mayFill: snapshots.every(({ mayFill }) => mayFill),
    ...(leasesUntilMs.length > 0 && { leaseUntilMs: Math.min(...leasesUntilMs) }),
    // An answer of another server may have come between them.
    losses: Math.min(...snapshots.map(({ losses }) => losses)),
  }
}
