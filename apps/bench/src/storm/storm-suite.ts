import { Redis } from 'ioredis'
import { startValkey } from '../../../../test/support/valkey-server.ts'
import { inTurn } from '../measure/in-turn.ts'
import { say } from '../progress.ts'
import type { RunOptions, Suite } from '../suite.ts'
import { allCases } from './cases/all-cases.ts'
import type { StormCase } from './cases/storm-case.ts'
import { buildLots, LOTS_PER_USER, USERS } from './lots.ts'
import { runRound, type Effort, type RoundResult } from './run-round.ts'
import { showStorm } from './show-storm.ts'
import type { StormMeasurements } from './storm-measurements.ts'
import { resultsOf, summarise } from './summarise.ts'

const FULL: Effort = { rounds: 5, warmUps: 2, warmUpMs: 2_500 }
const QUICK: Effort = { rounds: 1, warmUps: 1, warmUpMs: 0 }

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
  show: showStorm,
}

async function measure({ quick, only }: RunOptions): Promise<StormMeasurements> {
  const chosen = chooseCases(only)
  const effort = quick ? QUICK : FULL
  const valkey = await startOrUseValkey()
  const server = new Redis(valkey.url)
  try {
    const name = await describe(server)
    const stored = await server.dbsize()
    if (stored > 0) {
      throw new Error(
        `The database of VALKEY_URL holds ${stored} keys, which this would delete. Name an empty one, ` +
          'or unset VALKEY_URL to have a server started.',
      )
    }
    say(`${name}: ${chosen.length} cases, ${effort.rounds} rounds`)
    const rounds = await measureRounds(chosen, effort, valkey.url, server)
    const cases = chosen.flatMap((entry) => resultsOf(entry.name, rounds.get(entry.name)!))
    const peers = chosen.filter(({ isPeer }) => isPeer).map((peer) => peer.name)
    return {
      server: name,
      users: USERS,
      lotsPerUser: LOTS_PER_USER,
      bytesPerLot: meanBytes(),
      rounds: effort.rounds,
      cases,
      summary: summarise(cases, peers),
      notes: Object.fromEntries(chosen.flatMap(({ name, note }) => (note ? [[name, note]] : []))),
    }
  } finally {
    await server.flushdb().catch(() => {})
    server.disconnect()
    await valkey.stop()
  }
}

async function measureRounds(
  chosen: readonly StormCase[],
  effort: Effort,
  url: string,
  server: Redis,
): Promise<Map<string, RoundResult[]>> {
  const rounds = new Map(chosen.map(({ name }) => [name, [] as RoundResult[]]))
  for (let round = 0; round < effort.rounds; round++) {
    for (const { name } of inTurn(chosen, round)) {
      say(`Round ${round + 1} of ${effort.rounds}: ${name} …`)
      rounds.get(name)!.push(await runRound(name, url, server, effort))
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

async function startOrUseValkey(): Promise<{ url: string; stop: () => Promise<void> }> {
  const { url, stop } = process.env.VALKEY_URL
    ? { url: process.env.VALKEY_URL, stop: async () => {} }
    : await startValkey()
  // ioredis and node-redis know only their own scheme's names.
  return { url: url.replace(/^valkey/, 'redis'), stop }
}

async function describe(server: Redis): Promise<string> {
  const info = await server.info('server')
  const valkey = /^valkey_version:(\S+)/m.exec(info)?.[1]
  return valkey ? `Valkey ${valkey}` : `Redis ${/^redis_version:(\S+)/m.exec(info)?.[1]}`
}

function meanBytes(): number {
  const texts = [...buildLots().values()].map((lot) => Buffer.byteLength(JSON.stringify(lot)))
  return Math.round(texts.reduce((sum, bytes) => sum + bytes, 0) / texts.length)
}
