import { inTurn } from '../measure/in-turn.ts'
import { say } from '../progress.ts'
import type { RunOptions } from '../run-options.ts'
import type { Suite } from '../suite.ts'
import { allCases } from './cases/all-cases.ts'
import type { StormCase } from './cases/storm-case.ts'
import { buildLots, LOTS_PER_USER, USERS } from './lots.ts'
import { openServer, type StormServer } from './open-server.ts'
import { runRound, type Effort, type RoundOptions, type RoundResult } from './run-round.ts'
import { stormFigures } from './storm-figures.ts'
import { stormHeadline } from './storm-headline.ts'
import { presentStorm } from './present-storm.ts'
import type { StormMeasurements } from './storm-measurements.ts'
import { resultsOf, summarise } from './summarise.ts'

const FULL: Effort = { rounds: 5, storms: 3, warmUpMs: 2_000 }
const QUICK: Effort = { rounds: 1, storms: 1, warmUpMs: 0 }

/** Fifty users who ask for their lots in one tick, through this library and through others. */
export const stormSuite: Suite<StormMeasurements> = {
  packages: [
    '@keyv/redis',
    '@prisma/client',
    'async-cache-dedupe',
    'bentocache',
    'cache-manager',
    'ioredis',
    'keyv',
    'layered-loader',
    'prisma-extension-redis',
  ],
  run: measure,
  present: presentStorm,
  figures: stormFigures,
  headline: stormHeadline,
}

async function measure({ quick, only, semiSpaceMb }: RunOptions): Promise<StormMeasurements> {
  const chosen = chooseCases(only)
  const nodeOptions = semiSpaceMb === undefined ? [] : [`--max-semi-space-size=${semiSpaceMb}`]
  const options = { ...(quick ? QUICK : FULL), nodeOptions }
  const server = await openServer()
  try {
    say(`${server.name}: ${chosen.length} cases, ${options.rounds} rounds`)
    const rounds = await measureRounds(chosen, options, server)
    const cases = chosen.flatMap(({ name }) => resultsOf(name, rounds.get(name)!))
    const peers = chosen.filter(({ isPeer }) => isPeer).map(({ name }) => name)
    return {
      server: server.name,
      users: USERS,
      lotsPerUser: LOTS_PER_USER,
      bytesPerLot: meanBytes(),
      rounds: options.rounds,
      stormsPerRound: options.storms,
      nodeOptions,
      cases,
      summary: summarise(cases, peers),
      notes: Object.fromEntries(chosen.flatMap(({ name, note }) => (note ? [[name, note]] : []))),
    }
  } finally {
    await server.close()
  }
}

async function measureRounds(
  chosen: readonly StormCase[],
  options: RoundOptions,
  server: StormServer,
): Promise<Map<string, RoundResult[]>> {
  const rounds = new Map(chosen.map(({ name }) => [name, [] as RoundResult[]]))
  for (let round = 0; round < options.rounds; round++) {
    for (const { name } of inTurn(chosen, round)) {
      say(`Round ${round + 1} of ${options.rounds}: ${name} …`)
      rounds.get(name)!.push(await runRound(name, server, options))
    }
  }
  return rounds
}

/** @throws when a name is not that of a case */
function chooseCases(only: readonly string[]): readonly StormCase[] {
  if (only.length === 0) return allCases
  return only.map((name) => {
    const found = allCases.find((entry) => entry.name.toLowerCase() === name.toLowerCase())
    if (found) return found
    throw new Error(`There is no case "${name}", only ${allCases.map((entry) => entry.name).join(', ')}.`)
  })
}

function meanBytes(): number {
  const texts = [...buildLots().values()].map((lot) => Buffer.byteLength(JSON.stringify(lot)))
  return Math.round(texts.reduce((sum, bytes) => sum + bytes, 0) / texts.length)
}
