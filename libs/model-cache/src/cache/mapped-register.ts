import type { RegisterSnapshot } from '../protocol/index.js'
import type { Coherence, RegisterReads } from './context.js'
import type { EntrySnapshot } from './read/read.js'

/** What a read of the register becomes. */
type Mapping = (reading: Promise<RegisterSnapshot>) => Promise<RegisterSnapshot>

/** A register whose snapshots are changed for those who read it. */
export function mappedRegister(register: RegisterReads, read: Mapping, forLoaded = read): RegisterReads {
  return {
    get fingerprints() {
      return register.fingerprints
    },
    get joiningForMs() {
      return register.joiningForMs
    },
    get losses() {
      return register.losses
    },
    read: () => read(register.read()),
    readForLoaded: () => forLoaded(register.readForLoaded()),
  }
}

/** Returns the coherence of entries, which carry the existence epoch as negative entries do: they say which rows exist, not what these hold. */
export function ofExistence({ register, ...others }: Coherence): Coherence {
  const toEntries = (read: RegisterSnapshot): EntrySnapshot => ({
    ...read,
    epoch: read.existence,
    epochOfRows: read.epoch,
  })
  return { ...others, register: mappedRegister(register, (reading) => reading.then(toEntries)) }
}
