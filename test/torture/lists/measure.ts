import { inRounds, medians, rounded, say, spread } from '../bench/harness.ts'
import { openPostgres, openValkey } from '../bench/built.ts'
import type { TortureRun } from '../define-torture.ts'
import { seedAuction } from './auction.ts'
import { measureStaleness, rehearseDefect, type StalenessEffort } from './measure-staleness.ts'
import { describePage, HIGHEST, type State, USERS } from './page.ts'
import { type Effort, runRound, type WaveResult } from './run-round.ts'
import { DATA_LOADER, OURS, STORE_ONLY, type Variant } from './variant.ts'
import { allVariants } from './variants.ts'
import { openInclude } from './variants/without-cache.ts'

export async function measure({
  chosen,
  effort: { rounds, ...effort },
  rehearse,
  use,
}: TortureRun<Effort & StalenessEffort & { readonly rounds: number }, Variant>) {
  const [valkey, postgres] = await Promise.all([use(openValkey()), use(openPostgres())])
  const prisma = postgres.openPrisma()
  await use({ close: () => prisma.$disconnect() })
  await seedAuction(prisma)
  const page = await openInclude(prisma).page()
  const expected = describePage(page)
  say(`${postgres.name}, ${valkey.name}: ${chosen.length} variants, ${rounds} rounds`)
  const waves = await inRounds(chosen, rounds, (variant, round) =>
    runRound(variant, postgres.url, valkey, effort, round === 0 ? expected : undefined),
  )
  const variants = chosen.map((variant) => resultOf(variant, waves.get(variant)!.flat()))
  const servers = { databaseUrl: postgres.url, prisma, valkey }
  const storeOnly = allVariants.find(({ name }) => name === STORE_ONLY)!
  await rehearse('staleness', ['fence left out', 'stale entry'], (defect) =>
    rehearseDefect(storeOnly, servers, defect),
  )
  const staleness = []
  for (const variant of chosen) {
    say(`Staleness: ${variant.name} …`)
    staleness.push(await measureStaleness(variant, servers, effort))
  }
  return {
    database: postgres.name,
    server: valkey.name,
    users: USERS,
    lots: page.length,
    highest: HIGHEST,
    bids: page.reduce((all, { bids }) => all + bids.length, 0),
    bytes: Buffer.byteLength(JSON.stringify(page)),
    rounds,
    ...effort,
    variants,
    staleness,
    summary: summarise(variants, staleness),
    notes: Object.fromEntries(chosen.map(({ name, note }) => [name, note])),
  }
}

/** One variant: medians of all its waves, by state. */
export function resultOf(
  { name, isPeer = false }: Pick<Variant, 'name' | 'isPeer'>,
  waves: readonly WaveResult[],
) {
  const of = (state: State) => {
    const ofState = waves.filter((wave) => wave.state === state)
    return { ...medians(ofState), cpuSpread: spread(ofState.map(({ cpuMs }) => cpuMs)) }
  }
  return { name, isPeer, hit: of('hit'), turn: of('turn'), miss: of('miss'), half: of('half') }
}

type Measured = Pick<ReturnType<typeof resultOf>, 'name' | 'isPeer'> &
  Readonly<Record<State, { readonly cpuMs: number }>>
interface Stale {
  readonly name: string
  readonly staleReads: number
  readonly longestMs: number
}

/** Ratios of processor time per page, and stale reads; what needs a variant that was not measured is missing. */
export function summarise(variants: readonly Measured[], staleness: readonly Stale[]) {
  const ours = variants.find(({ name }) => name === OURS)
  const dataLoader = variants.find(({ name }) => name === DATA_LOADER)
  const peers = variants.filter(({ isPeer }) => isPeer)
  const ratio = (one: number | undefined, other: number | undefined) =>
    one !== undefined && other !== undefined ? rounded(one / other, 3) : undefined
  const beside = (state: State) => {
    const [best] = peers.toSorted((one, other) => one[state].cpuMs - other[state].cpuMs)
    return {
      bestPeer: best?.name,
      /** Ours as a part of DataLoader, and the best peer as a multiple of ours. */
      cpuVsDataLoader: ratio(ours?.[state].cpuMs, dataLoader?.[state].cpuMs),
      bestPeerCpuVsUs: ratio(best?.[state].cpuMs, ours?.[state].cpuMs),
    }
  }
  const staleIn = (name: string) => staleness.find((one) => one.name === name)
  const staleOfPeers = peers.flatMap(({ name }) => {
    const stale = staleIn(name)
    return stale ? [[name, stale.staleReads] as const] : []
  })
  return {
    // Users who arrive apart: at once, a library that hands all of them the same arrays does the work of one.
    ...beside('turn'),
    hit: beside('hit'),
    miss: beside('miss'),
    half: beside('half'),
    staleReads: staleIn(STORE_ONLY)?.staleReads,
    /** In memory until the message of a write arrives. */
    memoryStaleReads: staleIn(OURS)?.staleReads,
    memoryStaleMs: staleIn(OURS)?.longestMs,
    peersStaleReads: Object.fromEntries(staleOfPeers),
  }
}
