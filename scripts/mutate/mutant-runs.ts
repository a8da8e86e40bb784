/** Which tests run for which mutant, cheapest first, and what they say. */
import type { Mutant } from './instrument.ts'
import type { Pool } from './pool.ts'
import type { SurveyCache } from './survey-cache.ts'
import type { Answer, MutantJob, Survey } from './worker.ts'

/** A loop that a mutant makes endless is stopped after this many times of its usual rounds. */
const HIT_FACTOR = 100
const MIN_HITS = 10_000
/** Of a process that has computed for this many times its longest block, the event loop is blocked for ever. */
const BLOCK_FACTOR = 3
const MIN_BLOCK_MS = 4_000
const SURVEY_BLOCK_MS = 60_000
/** What a process does with one spec takes as long as this if nothing is noticed; beginning a spec may cost seconds. */
const CHUNK_MS = 60_000
/** Specs that are begun for a mutant which only hooks or modules reach, the cheapest ones. */
const MAX_COLD_SPECS = 3

export class MutantRuns {
  /** How often a test failed without the mutant, after it had failed with it. */
  private readonly dirty = new Map<string, number>()

  private mutants: readonly Mutant[] = []
  private onNoticed: (mutant: Mutant) => void = () => {}
  private readonly pool: Pool
  private readonly processes: number
  private readonly log: (line: string) => void
  private readonly surveys: SurveyCache

  constructor(pool: Pool, surveys: SurveyCache, processes: number, log: (line: string) => void) {
    this.pool = pool
    this.surveys = surveys
    this.processes = processes
    this.log = log
  }

  /**
   * @param onNoticed called for each mutant that the specs notice
   * @returns the others
   */
  async run(
    mutants: readonly Mutant[],
    specs: readonly string[],
    onNoticed: (mutant: Mutant) => void,
  ): Promise<Mutant[]> {
    this.mutants = mutants
    this.onNoticed = onNoticed
    const surveys = await this.survey(specs)
    const left = new Set(mutants)
    const inOrder = [...surveys]
      .map(([spec, survey]) => ({
        spec,
        survey,
        reached: mutants.filter(({ id }) => isReachedBy(survey, id)),
      }))
      .toSorted((a, b) => costOf(a) - costOf(b))
      .flatMap(({ spec, survey, reached }) =>
        chunksOf(reached, Math.ceil(CHUNK_MS / survey.ms)).map((chunk) => ({ spec, survey, chunk })),
      )
    await this.each(inOrder, ({ spec, survey, chunk }) => this.runWarm(spec, survey, chunk, left))
    this.log(`${left.size} of ${mutants.length} mutants left; now those that hooks and modules reach`)
    await this.each([...left], async (mutant) => {
      if ((await this.isNoticedCold(mutant, surveys)) || (await this.isNoticedAtLoad(mutant, surveys)))
        this.notice(mutant, left)
    })
    return mutants.filter((mutant) => left.has(mutant))
  }

  /** One spec with many mutants, as starting a spec costs more than most of its tests. */
  private async runWarm(
    spec: string,
    survey: Survey,
    mutants: readonly Mutant[],
    left: Set<Mutant>,
  ): Promise<void> {
    let noticed = 0
    await this.pool.use(async (ask) => {
      for (const mutant of mutants) {
        if (!left.has(mutant)) continue
        const job = this.warmJob(spec, survey, mutant)
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
        if (isFailure(answer) && this.notice(mutant, left)) noticed++
      }
    })
    if (noticed > 0) this.log(`${spec} has noticed ${noticed}; ${left.size} are left`)
  }

  private notice(mutant: Mutant, left: Set<Mutant>): boolean {
    if (!left.delete(mutant)) return false
    this.onNoticed(mutant)
    return true
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

  private warmJob(spec: string, survey: Survey, { id }: Mutant): MutantJob | undefined {
    const own = Object.entries(survey.tests).filter(
      ([name, { reached }]) => reached[id] !== undefined && !this.isUnrepeatable(spec, name),
    )
    if (own.length === 0) return undefined
    const hits = Math.max(...own.map(([, { reached }]) => reached[id]!))
    return { ...jobOf(spec, survey, own, id), hitLimit: hits * HIT_FACTOR + MIN_HITS }
  }

  /** Some tests rely on the state that a spec begins with. */
  private isUnrepeatable(spec: string, test: string): boolean {
    return (this.dirty.get(`${spec} ${test}`) ?? 0) > 1
  }

  /** What hooks reach needs the spec to begin with the mutant. */
  private async isNoticedCold({ id }: Mutant, surveys: ReadonlyMap<string, Survey>): Promise<boolean> {
    const jobs = [...surveys]
      .flatMap(([spec, survey]) => {
        const { tests, reachedByHooks, ms } = survey
        const isHook = reachedByHooks.includes(id)
        const own = Object.entries(tests).filter(
          ([name, { reached }]) => isHook || (reached[id] !== undefined && this.isUnrepeatable(spec, name)),
        )
        const job = { kind: 'cold', ...jobOf(spec, survey, own, id) } as const
        return own.length > 0 ? [{ job, ms }] : []
      })
      .toSorted((a, b) => a.ms - b.ms)
      .slice(0, MAX_COLD_SPECS)
    return this.pool.use(async (ask) => {
      for (const { job } of jobs) {
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
    // A process loads modules once, for the first of its specs.
    if (!all.some(({ loaded }) => loaded.includes(id)) || all.some((survey) => isReachedBy(survey, id)))
      return false
    const folder = file.replace(/[^/]*$/, '')
    const neighbours = this.mutants.filter((other) => other.file === file)
    // Those that reach most of the file, then those of its folder, then the cheapest.
    const specs = [...surveys]
      .filter(([spec, { loaded }]) => loaded.includes(id) || spec.startsWith(folder))
      .map(([spec, survey]) => ({
        spec,
        survey,
        reach: neighbours.filter((other) => isReachedBy(survey, other.id)).length,
      }))
      .toSorted(
        (a, b) =>
          b.reach - a.reach ||
          Number(b.spec.startsWith(folder)) - Number(a.spec.startsWith(folder)) ||
          a.survey.ms - b.survey.ms,
      )
      .slice(0, MAX_COLD_SPECS)
    return this.pool.useFresh(id, async (ask) => {
      for (const { spec, survey } of specs) {
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

function isReachedBy({ tests, reachedByHooks }: Survey, id: string): boolean {
  return reachedByHooks.includes(id) || Object.values(tests).some(({ reached }) => reached[id] !== undefined)
}

function costOf({ survey, reached }: { survey: Survey; reached: readonly Mutant[] }): number {
  return survey.ms / (1 + reached.length)
}

function chunksOf<T>(items: readonly T[], size: number): (readonly T[])[] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size))
}
