/** What results carry, and what makes them count. */
import { NOTHING, type Bits, type Looked, type Result, type Stands, type State } from './model.ts'
import type { Scenario, Setting } from './scenario.ts'

/** By part: the writers that the database had after so many COMMITs. */
export const databaseAt = (
  { commits }: State,
  count: number,
  { parts, writers }: Scenario,
): readonly Bits[] =>
  parts.map((_, part) => {
    let bits = 0
    for (const at of commits.slice(0, count)) if (writers[at]!.changes.includes(part)) bits |= 1 << at
    return bits
  })

/** The answers of one command. */
export const lookedAtOnce = (
  { markers, registers, result }: State,
  { rules, scenario }: Setting,
): Looked => ({
  result,
  epochs: registers.map(({ epoch, fences }) => (fences !== 0 && rules.fencesAreRespected ? NOTHING : epoch)),
  markers: markers.map((marker, part) => (scenario.parts[part]!.isScoped ? marker : none)),
})

/** Before the first answer of a cluster. */
export const nothingLooked = ({ registers }: State, { scenario }: Setting): Looked => ({
  result: undefined,
  epochs: registers.map(() => undefined),
  markers: scenario.parts.map(({ isScoped }) => (isScoped ? undefined : none)),
})

const none = { nonce: NOTHING, epoch: NOTHING }

/** What each part has in the store, as a result would carry it. */
export const standsOf = ({ epochs, markers }: Looked, { rules, scenario }: Setting): Stands =>
  scenario.parts.map(({ isScoped, register }, part) => {
    const epoch = epochs[register]!
    if (!isScoped || epoch === NOTHING) return epoch
    const { epoch: under, nonce } = markers[part]!
    return under === epoch || !rules.markersHaveEpoch ? nonce : NOTHING
  })

/** Whether a result counts beside what the store has. */
export function counts({ stands: carried }: Result, stands: Stands, { compares }: Setting['rules']): boolean {
  const compared = compares === 'what it has of each part' ? stands : stands.slice(0, 1)
  return compared.every((stand, part) => stand !== NOTHING && stand === carried[part])
}
