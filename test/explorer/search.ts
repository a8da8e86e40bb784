/** One thing that may happen next, as a sentence, and the world after it. */
export type Step<State> = readonly [sentence: string, next: State]

/**
 * A guarded step of one kind: adds all ways in which it may happen in a state, none when its guard does not hold. A generator
 * would read better, and take twice as long: an exploration asks millions of times.
 */
export type Action<State, Setting> = (
  state: State,
  setting: Setting,
  add: (...step: Step<State>) => void,
) => void

/** Everything that may happen next, always in the same order. */
export const stepsOf =
  <State, Setting>(actions: readonly Action<State, Setting>[]) =>
  (state: State, setting: Setting): Step<State>[] => {
    const steps: Step<State>[] = []
    const add = (...step: Step<State>): void => void steps.push(step)
    for (const action of actions) action(state, setting, add)
    return steps
  }

/** What the search needs to know of a model. */
export interface Model<State, Setting, Breach> {
  readonly initialState: (setting: Setting) => State
  /** Everything that may happen next, as sentences and the states after them, always in the same order. */
  readonly stepsFrom: (state: State, setting: Setting) => readonly Step<State>[]
  /** The same for states from which the same may follow. */
  readonly keyOf: (state: State) => string
  /** The promise that a state breaks, or null. */
  readonly brokenIn: (state: State, setting: Setting) => Breach | null
}

export interface Exploration<Breach = string> {
  readonly states: number
  readonly transitions: number
  /** The length of the longest of all shortest ways to a state. */
  readonly depth: number
  /** For each promise that can be broken, the sentences of a shortest way to break it. */
  readonly traces: ReadonlyMap<Breach, readonly string[]>
}

/**
 * Breadth first through every state that can be reached, each once. A state that breaks a promise is not followed any
 * further.
 *
 * @param until - ends the search when it is found; without it every state is visited.
 * @param most - ends the search as well, once as many states are known and all those of their depth.
 */
export function explore<State, Setting, Breach>(
  model: Model<State, Setting, Breach>,
  setting: Setting,
  until?: Breach,
  most = Infinity,
): Exploration<Breach> {
  const { initialState, stepsFrom, keyOf, brokenIn } = model
  const first = initialState(setting)
  const known = new Set([keyOf(first)])
  // How each state was reached: from which, and by which of the steps from there. The states themselves are forgotten.
  const parents = [-1]
  const choices = [-1]
  const traces = new Map<Breach, readonly string[]>()
  let transitions = 0
  let depth = 0
  let level: { state: State; index: number }[] = [{ state: first, index: 0 }]

  while (level.length > 0 && known.size < most) {
    const nextLevel: typeof level = []
    for (const { state, index } of level) {
      const steps = stepsFrom(state, setting)
      transitions += steps.length
      for (let choice = 0; choice < steps.length; choice++) {
        const next = steps[choice]![1]
        const key = keyOf(next)
        if (known.has(key)) continue
        known.add(key)
        const reached = parents.push(index) - 1
        choices.push(choice)
        const breach = brokenIn(next, setting)
        if (breach === null) {
          nextLevel.push({ state: next, index: reached })
        } else if (!traces.has(breach)) {
          traces.set(breach, replay(model, setting, choicesTo(reached, parents, choices)))
          if (breach === until) return { states: known.size, transitions, depth: depth + 1, traces }
        }
      }
    }
    if (nextLevel.length > 0) depth++
    level = nextLevel
  }
  return { states: known.size, transitions, depth, traces }
}

function choicesTo(index: number, parents: readonly number[], choices: readonly number[]): number[] {
  const path: number[] = []
  for (let at = index; at > 0; at = parents[at]!) path.unshift(choices[at]!)
  return path
}

/** The sentences of a way, which was kept as choices alone. */
function replay<State, Setting, Breach>(
  { initialState, stepsFrom }: Model<State, Setting, Breach>,
  setting: Setting,
  path: readonly number[],
): string[] {
  let state = initialState(setting)
  return path.map((choice) => {
    const [sentence, next] = stepsFrom(state, setting)[choice]!
    state = next
    return sentence
  })
}
