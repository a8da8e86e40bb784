import { explore, type Exploration, type Model } from './search.ts'

/** What stays the same while one world is explored. */
export interface WorldSetting<Scenario, Rules> {
  readonly scenario: Scenario
  readonly rules: Rules
}

/** What goes wrong, if not the usual, and what else is special. */
type Particulars<Breach, More> = readonly [breaches?: readonly Breach[], more?: More] | readonly [more: More]

/** The protocol with a rule broken, the scenario in which it is explored, and what goes wrong there. */
export type Mutant<Rules, Fault extends string, ScenarioKey, Breach> = readonly [
  name: string,
  rules: Partial<Rules>,
  within: ScenarioKey,
  ...Particulars<Breach, { readonly faults?: Partial<Record<Fault, number>>; readonly takesLong?: boolean }>,
]

/** More than the protocol can stand: faults in a scenario, and what goes wrong there. */
export type Limit<Rules, Fault extends string, ScenarioKey, Breach> = readonly [
  name: string,
  faults: Partial<Record<Fault, number>>,
  within: ScenarioKey,
  ...Particulars<Breach, { readonly rules?: Partial<Rules>; readonly takesLong?: boolean }>,
]

/** A mutant or a limit. */
interface Variation<Rules, ScenarioKey, Breach> {
  readonly name: string
  readonly rules?: Partial<Rules>
  readonly faults?: Partial<Record<string, number>>
  readonly within: ScenarioKey
  readonly breaches: readonly Breach[]
  /** Whether it takes so many states that `npm test` leaves it to `npm run test:deep`. @default false */
  readonly takesLong?: boolean
}

interface Bounds {
  readonly name: string
  readonly faults?: Partial<Record<string, number>>
}

/** A model together with its protocol, the bounds in which it is explored, and what must be caught. */
export interface World<
  State,
  Scenario extends Bounds,
  Rules extends object,
  Breach extends string,
  ScenarioKey extends string,
> {
  readonly model: Model<State, WorldSetting<Scenario, Rules>, Breach>
  readonly protocol: Rules
  readonly scenarios: Readonly<Record<ScenarioKey, NoInfer<Scenario>>>
  /** The protocol with one rule broken. */
  readonly mutants: readonly Mutant<Rules, string, ScenarioKey, Breach>[]
  /** What the protocol assumes, and what happens where that is not so. */
  readonly limits: readonly Limit<Rules, string, ScenarioKey, Breach>[]
  /** What goes wrong with a mutant or a limit that names nothing else. */
  readonly usual: readonly Breach[]
  /** What a scenario promises where nothing but this breach counts: so the trace to it is the shortest there is. */
  readonly promising: (breach: Breach) => Partial<Scenario>
}

export interface Passed<Scenario> extends Exploration {
  readonly scenario: Scenario
}

export interface Caught {
  readonly name: string
  /** Of the scenario. */
  readonly within: string
  readonly breach: string
  /** A shortest way to it, or undefined if there is none within the bounds. */
  readonly trace: readonly string[] | undefined
}

export interface Explorations<Scenario> {
  readonly passed: readonly Passed<Scenario>[]
  readonly mutants: readonly Caught[]
  readonly limits: readonly Caught[]
}

export interface ExplorationBounds<Scenario> {
  readonly scenarios?: readonly Scenario[]
  readonly most?: number
  readonly leavesOutLong?: boolean
}

/** A scenario as a row of a table. */
export type ScenarioRow<Scenario extends Bounds> = readonly [
  name: string,
  bounds: Omit<Scenario, 'name' | 'faults'>,
  faults?: Scenario['faults'],
]

/** The scenarios of a table, by their keys. */
export function scenariosOf<Key extends string, Scenario extends Bounds>(
  rows: Readonly<Record<Key, ScenarioRow<Scenario>>>,
): Readonly<Record<Key, Scenario>> {
  const entries = Object.entries<ScenarioRow<Scenario>>(rows).map(
    ([key, [name, bounds, faults = {}]]) => [key, { name, ...bounds, faults }] as const,
  )
  return Object.fromEntries(entries) as never
}

/** A world that can be explored, whatever its states are. */
export interface Explorer<Scenario> {
  readonly scenarios: readonly Scenario[]
  readonly mutants: readonly Listed[]
  readonly limits: readonly Listed[]
  /** The names of the rules that no variation breaks. */
  readonly unbroken: readonly string[]
  /**
   * The protocol in every scenario; each mutant, and each limit, until its breaches have been found.
   *
   * @param bounds.scenarios - in place of those of the world
   * @param bounds.most - states after which a scenario ends. Default: none.
   * @param bounds.leavesOutLong - whether mutants and limits are left out that take long. Default: false.
   */
  readonly explore: (bounds?: ExplorationBounds<Scenario>) => Explorations<Scenario>
}

interface Listed {
  readonly name: string
  readonly breaches: readonly string[]
  readonly takesLong?: boolean
}

export function explorerOf<
  State,
  Scenario extends Bounds,
  Rules extends object,
  Breach extends string,
  ScenarioKey extends string,
>(world: World<State, Scenario, Rules, Breach, ScenarioKey>): Explorer<Scenario> {
  type Varied = Variation<Rules, ScenarioKey, Breach>
  const { model, promising, protocol, usual } = world
  const particularsOf = (given: readonly (readonly Breach[] | Partial<Varied> | undefined)[]): object =>
    Object.assign({}, ...given.map((one) => (Array.isArray(one) ? { breaches: one } : one)))
  const mutants = world.mutants.map(([name, rules, within, ...particulars]): Varied => ({
    name,
    rules,
    within,
    breaches: usual,
    ...particularsOf(particulars),
  }))
  const limits = world.limits.map(([name, faults, within, ...particulars]): Varied => ({
    name,
    faults,
    within,
    breaches: usual,
    ...particularsOf(particulars),
  }))
  const scenarios = Object.values<Scenario>(world.scenarios)
  const caughtIn = ({ breaches, faults, name, rules, within }: Varied): Caught[] =>
    breaches.map((breach) => {
      const bounds = world.scenarios[within]
      const scenario = { ...bounds, faults: { ...bounds.faults, ...faults }, ...promising(breach) }
      const { traces } = explore(model, { scenario, rules: { ...protocol, ...rules } }, breach)
      return { name, within: scenario.name, breach, trace: traces.get(breach) }
    })
  const broken = new Set([...mutants, ...limits].flatMap(({ rules = {} }) => Object.keys(rules)))
  return {
    scenarios,
    mutants,
    limits,
    unbroken: Object.keys(protocol).filter((rule) => !broken.has(rule)),
    explore: ({ scenarios: chosen = scenarios, most, leavesOutLong = false } = {}) => ({
      passed: chosen.map((scenario) => ({
        scenario,
        ...explore(model, { scenario, rules: protocol }, undefined, most),
      })),
      mutants: mutants.filter(isExplored(leavesOutLong)).flatMap(caughtIn),
      limits: limits.filter(isExplored(leavesOutLong)).flatMap(caughtIn),
    }),
  }
}

function isExplored(leavesOutLong: boolean): (variation: Listed) => boolean {
  return ({ takesLong = false }) => !(leavesOutLong && takesLong)
}
