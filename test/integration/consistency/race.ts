import type { Lot } from './versioned-lots.js'
import { lotId, type Sabotage, type useWorlds, type World } from './world.js'

export interface Race {
  /** What the cache guarantees, as a test name. */
  readonly holds: string
  /** Returns the result of the last read; undefined if it failed. */
  readonly play: (world: World) => Promise<Lot | null | undefined>
  /** @default 'the new row' */
  readonly gives?: 'the new row' | 'no row'
  /** Sabotaged guards against the race, by what the test would see without them. */
  readonly without: Readonly<Record<string, Sabotage>>
}

/** How often a race is tried without its guard: on a busy machine what it depends on may have ended before its last read. */
const attempts = 5

/** Tests a race twice: with its guard no read returns the old row, and without it one does. */
export function itHolds(newWorld: ReturnType<typeof useWorlds>, race: Race): void {
  const { gives = 'the new row', holds, play, without } = race
  it(holds, async () => {
    expect(await outcomeOf(newWorld())).toBe(gives)
  })
  it.each(Object.entries(without))(`… and would not with %s`, async (_, sabotage) => {
    let outcome = ''
    for (let attempt = 0; attempt < attempts && outcome !== 'the old row'; attempt++)
      outcome = await outcomeOf(newWorld(sabotage))
    expect(outcome).toBe('the old row')
  })

  async function outcomeOf(world: World): Promise<string> {
    const row = await play(world)
    if (!row) return 'no row'
    return row.version === world.database.row(lotId).version ? 'the new row' : 'the old row'
  }
}
