/** Which tests run for which mutant, cheapest first, and what they say. */
import { dirname } from 'node:path'
import { mayLoad } from './imports.ts'
import type { Mutant } from './mutant.ts'
import type { Pool } from './pool.ts'
import type { SurveyCache } from './survey-cache.ts'
import type { Answer, MutantJob, Survey, SurveyedTest } from './worker.ts'

/** A loop that a mutant makes endless is stopped after this many times of its usual rounds. */
const HIT_FACTOR = 100
const MIN_HITS = 10_000
/** Of a process that has computed for this many times its longest block, the event loop is blocked for ever. */
const BLOCK_FACTOR = 3
const MIN_BLOCK_MS = 2_500
const SURVEY_BLOCK_MS = 60_000
/** What a process does with one spec takes about as long as this if nothing is noticed. */
const CHUNK_MS = 30_000
/**
 * The mutants of a spec that one process takes at most. Tests that a mutant keeps waiting take much longer than usual, so processes share
 * them; of a spec that is costly to begin each takes more.
 */
const CHUNK_MUTANTS = { cheap: 20, costly: 100 }
/** Most mutants are noticed by tests that take less than the first, most others by those that take less than the second. */
const STAGES_MS = [30, 300, Infinity]
/** Specs whose hooks take longer run once, with all of their tests. */
const CHEAP_HOOKS_MS = 1_000
/**
 * Of the tests that reach a mutant, at most so many run in a round, of specs that begin with servers fewer: those beside its file, then
 * those that reach the fewest other mutants. What only the rest would notice counts as a survivor.
 */
const MAX_TESTS = { cheap: 200, costly: 25 }
/** Specs that are begun for a mutant which only hooks or modules reach: so many cheap ones, or the first one if none is cheap. */
const MAX_COLD_SPECS = 3
const COLD_MS = 3_000

/** Of a spec: whether its hooks start servers. */
type Cost = 'cheap' | 'costly'

/** Tests of a spec for mutants of a file: those that take from `fromMs` to `toMs`. */
interface Stage {
  spec: string
  survey: Survey
  fromMs: number
  toMs: number
}

export class MutantRuns {
  /** How often a test failed without the mutant, after it had failed with it. */
  private readonly dirty = new Map<string, number>()
  /** How many mutants of a file each test has noticed. */
  private readonly kills = new Map<string, number>()
  /** By the id of a mutant. */
  private chosen: ReadonlyMap<string, ReadonlySet<SurveyedTest>> = new Map()

  private mutants: readonly Mutant[] = []
  private onNoticed: (mutant: Mutant) => void = () => {}
  private readonly pool: Pool
  private processes = 1
  private readonly log: (line: string) => void
  private readonly surveys: SurveyCache

  constructor(pool: Pool, surveys: SurveyCache, log: (line: string) => void) {
    this.pool = pool
    this.surveys = surveys
    this.log = log
  }

  /**
   * @param processes how many run at once
   * @param onNoticed called for each mutant that the specs notice
   */
  async run(
    mutants: readonly Mutant[],
    specs: readonly string[],
    processes: number,
    onNoticed: (mutant: Mutant) => void,
  ): Promise<void> {
    this.mutants = mutants
    this.processes = processes
    this.onNoticed = onNoticed
    const surveys = await this.survey(specs)
    this.chosen = mostSpecific(surveys, mutants)
    const left = new Set(mutants)
    for (const stages of stagesOf(surveys)) {
      const chunks = stages
        .flatMap((stage) => this.chunksOf(stage, [...left]))
        .toSorted((a, b) => a.meanMs - b.meanMs)
      await this.each(chunks, ({ stage, chunk }) => this.runWarm(stage, chunk, left))
    }
    this.log(`${left.size} of ${mutants.length} mutants left; now those that hooks and modules reach`)
    await this.each([...left], async (mutant) => {
      if ((await this.isNoticedCold(mutant, surveys)) || (await this.isNoticedAtLoad(mutant, surveys)))
        this.notice(mutant, left)
    })
    this.log(`${left.size} of ${mutants.length} mutants left, so far by processor time: ${this.pool.costs}`)
  }

  /** One spec with many mutants, as starting a spec costs more than most of its tests. */
  private async runWarm(stage: Stage, mutants: readonly Mutant[], left: Set<Mutant>): Promise<void> {
    const { spec } = stage
    let noticed = 0
    await this.pool.use(async (ask) => {
      for (const mutant of mutants) {
        if (!left.has(mutant)) continue
        const job = this.warmJob(stage, mutant)
        if (!job) continue
        let answer = await ask({ kind: 'warm', ...job })
        // A process that mutants left dirty says nothing about this one; a fresh process does.
        if (answer === undefined || (answer.kind === 'run' && answer.dirty)) {
          const name = answer?.kind === 'run' ? `${spec} ${answer.failure?.name}` : spec
          this.dirty.set(name, (this.dirty.get(name) ?? 0) + 1)
          answer = await ask({ kind: 'warm', ...job })
        }
        // The state that the first run has left may hide the mutant from the second one.
        if (answer?.kind === 'run' && answer.failure && !isFailure(answer))
          answer = await ask({ kind: 'cold', ...job })
        if (!isFailure(answer)) continue
        if (answer?.kind === 'run' && answer.failure) this.count(mutant, spec, answer.failure.name)
        if (this.notice(mutant, left)) noticed++
      }
    })
    if (noticed > 0) this.log(`${spec} has noticed ${noticed}; ${left.size} are left`)
  }

  private notice(mutant: Mutant, left: Set<Mutant>): boolean {
    if (!left.delete(mutant)) return false
    this.onNoticed(mutant)
    return true
  }

  private count({ file }: Mutant, spec: string, test: string): void {
    const key = `${file} ${spec} ${test}`
    this.kills.set(key, (this.kills.get(key) ?? 0) + 1)
  }

  private chunksOf(
    stage: Stage,
    mutants: readonly Mutant[],
  ): { stage: Stage; chunk: Mutant[]; meanMs: number }[] {
    const costs = mutants.flatMap((mutant) => {
      const tests = this.testsOf(stage, mutant)
      return tests.length > 0 ? [{ mutant, ms: tests.reduce((sum, [, { ms }]) => sum + ms, 0) }] : []
    })
    const size = CHUNK_MUTANTS[costOf(stage.survey)]
    const chunks: { stage: Stage; chunk: Mutant[]; ms: number }[] = []
    for (const { mutant, ms } of costs) {
      let last = chunks.at(-1)
      if (!last || last.ms > CHUNK_MS || last.chunk.length === size)
        chunks.push((last = { stage, chunk: [], ms: 0 }))
      last.chunk.push(mutant)
      last.ms += ms
    }
    return chunks.map(({ chunk, ms }) => ({ stage, chunk, meanMs: ms / chunk.length }))
  }

  private async survey(specs: readonly string[]): Promise<Map<string, Survey>> {
    const surveys = new Map<string, Survey>()
    await this.each(specs, async (spec) => {
      const survey = this.surveys.get(spec) ?? (await this.surveyOf(spec))
      if (!survey) return this.log(`${spec} cannot be run`)
      surveys.set(spec, survey)
      this.surveys.set(spec, survey)
      for (const [name, failure] of Object.entries(survey.failed))
        this.log(`${spec} › ${name} is left out: ${failure.split('\n')[0]}`)
    })
    const tests = [...surveys.values()].reduce((sum, survey) => sum + Object.keys(survey.tests).length, 0)
    this.log(`${tests} tests in ${surveys.size} specs`)
    return surveys
  }

  private surveyOf(spec: string): Promise<Survey | undefined> {
    return this.pool.use(async (ask) => {
      const answer = await ask({ kind: 'survey', spec, blockLimitMs: SURVEY_BLOCK_MS })
      return answer?.kind === 'survey' ? answer.survey : undefined
    })
  }

  private warmJob(stage: Stage, mutant: Mutant): MutantJob | undefined {
    const { id, file } = mutant
    const { spec, survey } = stage
    // Those first that notice most in the least time.
    const yieldOf = (name: string, ms: number) =>
      (1 + (this.kills.get(`${file} ${spec} ${name}`) ?? 0)) / (1 + ms)
    const tests = this.testsOf(stage, mutant)
      .map(([name, test]) => ({ name, test, gain: yieldOf(name, test.ms) }))
      .toSorted((a, b) => b.gain - a.gain)
      .map(({ name, test }) => [name, test] as const)
    if (tests.length === 0) return undefined
    const hits = Math.max(...tests.map(([, { reached }]) => reached[id]!))
    return { ...jobOf(spec, survey, tests, id), hitLimit: hits * HIT_FACTOR + MIN_HITS }
  }

  private testsOf({ spec, survey, fromMs, toMs }: Stage, { id }: Mutant): [string, SurveyedTest][] {
    const chosen = this.chosen.get(id)
    if (!chosen) return []
    return Object.entries(survey.tests).filter(
      ([name, test]) =>
        chosen.has(test) && test.ms >= fromMs && test.ms < toMs && !this.isUnrepeatable(spec, name),
    )
  }

  /** Some tests rely on the state that a spec begins with. */
  private isUnrepeatable(spec: string, test: string): boolean {
    return (this.dirty.get(`${spec} ${test}`) ?? 0) > 1
  }

  /** What hooks alone reach needs the spec to begin with the mutant. */
  private async isNoticedCold({ id, file }: Mutant, surveys: ReadonlyMap<string, Survey>): Promise<boolean> {
    const jobs = [...surveys]
      .flatMap(([spec, survey]) => {
        const { tests, reachedByHooks, ms } = survey
        const isHook = !this.chosen.has(id) && reachedByHooks.includes(id)
        const own = Object.entries(tests).filter(
          ([name, test]) => isHook || (test.reached[id] !== undefined && this.isUnrepeatable(spec, name)),
        )
        const job = { kind: 'cold', ...jobOf(spec, survey, own, id) } as const
        return own.length > 0 ? [{ job, ms, distance: distanceOf(spec, file) }] : []
      })
      .toSorted((a, b) => a.distance - b.distance || a.ms - b.ms)
    return this.pool.use(async (ask) => {
      for (const { job } of cheapOf(jobs)) {
        let answer = await ask(job)
        if (answer === undefined || (answer.kind === 'run' && answer.dirty)) answer = await ask(job)
        if (isFailure(answer)) return true
      }
      return false
    })
  }

  /** What runs only once, when modules are loaded, needs a process of its own. */
  private async isNoticedAtLoad(mutant: Mutant, surveys: ReadonlyMap<string, Survey>): Promise<boolean> {
    const { id, file } = mutant
    const all = [...surveys.values()]
    if (!all.some(({ loaded }) => loaded.includes(id)) || all.some((survey) => isReachedBy(survey, id)))
      return false
    const folder = file.replace(/[^/]*$/, '')
    const neighbours = this.mutants.filter((other) => other.file === file)
    const files = new Set([file])
    // Those that reach most of the file, then those of its folder, then the cheapest.
    const specs = [...surveys]
      .filter(([spec]) => mayLoad(spec, files))
      .map(([spec, survey]) => ({
        spec,
        survey,
        ms: survey.ms,
        reach: neighbours.filter((other) => isReachedBy(survey, other.id)).length,
      }))
      .toSorted(
        (a, b) =>
          b.reach - a.reach ||
          Number(b.spec.startsWith(folder)) - Number(a.spec.startsWith(folder)) ||
          a.ms - b.ms,
      )
    return this.pool.useFresh(id, async (ask) => {
      for (const { spec, survey } of cheapOf(specs)) {
        const job = jobOf(spec, survey, Object.entries(survey.tests), id)
        if (isFailure(await ask({ kind: 'cold', ...job }))) return true
      }
      return false
    })
  }

  private async each<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
    let next = 0
    const work = async () => {
      while (next < items.length) await run(items[next++]!)
    }
    await Promise.all(Array.from({ length: this.processes }, work))
  }
}

/** A process that ended or hangs has noticed, too; a test that failed once, but passes the second time, has not. */
function isFailure(answer: Answer | undefined): boolean {
  return answer?.kind !== 'run' || answer.dirty || answer.repeated
}

function jobOf(
  spec: string,
  { blockMs }: Survey,
  tests: readonly (readonly [string, { ms: number }])[],
  mutant: string,
): MutantJob {
  return {
    spec,
    tests: Object.fromEntries(tests.map(([name, { ms }]) => [name, ms])),
    mutant,
    hitLimit: 1e9,
    blockLimitMs: Math.max(MIN_BLOCK_MS, BLOCK_FACTOR * blockMs),
  }
}

function cheapOf<T extends { ms: number }>(specs: readonly T[]): readonly T[] {
  const cheap = specs.filter(({ ms }) => ms < COLD_MS)
  return cheap.length > 0 ? cheap.slice(0, MAX_COLD_SPECS) : specs.slice(0, 1)
}

function isReachedBy({ tests, reachedByHooks }: Survey, id: string): boolean {
  return reachedByHooks.includes(id) || Object.values(tests).some(({ reached }) => reached[id] !== undefined)
}

/** @returns the tests that run for each mutant */
function mostSpecific(
  surveys: ReadonlyMap<string, Survey>,
  mutants: readonly Mutant[],
): Map<string, Set<SurveyedTest>> {
  const files = new Map(mutants.map(({ id, file }) => [id, file]))
  const reaching = new Map<string, { test: SurveyedTest; rank: number; cost: Cost }[]>()
  for (const [spec, survey] of surveys)
    for (const test of Object.values(survey.tests)) {
      const ids = Object.keys(test.reached).filter((id) => files.has(id))
      for (const id of ids) {
        const rank = ids.length + distanceOf(spec, files.get(id)!) * mutants.length
        const ofMutant = reaching.get(id)
        const ranked = { test, rank, cost: costOf(survey) }
        if (ofMutant) ofMutant.push(ranked)
        else reaching.set(id, [ranked])
      }
    }
  const chosen = [...reaching].map(([id, tests]) => {
    const ranked = tests.toSorted((a, b) => a.rank - b.rank)
    const first = (['cheap', 'costly'] as const).flatMap((cost) =>
      ranked.filter((one) => one.cost === cost).slice(0, MAX_TESTS[cost]),
    )
    return [id, new Set(first.map(({ test }) => test))] as const
  })
  return new Map(chosen)
}

function costOf({ hooksMs }: Survey): Cost {
  return hooksMs < CHEAP_HOOKS_MS ? 'cheap' : 'costly'
}

/** 0 for the spec of a file, 1 for one beside it. */
function distanceOf(spec: string, file: string): number {
  if (spec === file.replace(/\.ts$/, '.spec.ts')) return 0
  return dirname(spec) === dirname(file) ? 1 : 2
}

/** Cheap tests of cheap specs first. */
function stagesOf(surveys: ReadonlyMap<string, Survey>): Stage[][] {
  return STAGES_MS.map((toMs, i) =>
    [...surveys].flatMap(([spec, survey]) => {
      if (costOf(survey) === 'cheap') return [{ spec, survey, fromMs: STAGES_MS[i - 1] ?? 0, toMs }]
      return toMs === Infinity ? [{ spec, survey, fromMs: 0, toMs }] : []
    }),
  )
}
