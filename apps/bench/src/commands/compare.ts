import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildBenched } from '../build-benched.ts'
import { withCheckout } from '../compare/checkout.ts'
import { compareSuite, type Comparison } from '../compare/compare-suite.ts'
import { presentComparison } from '../compare/present-comparison.ts'
import { say } from '../progress.ts'
import { printSections } from '../report/print-sections.ts'
import { suites } from '../suites.ts'

const ROOT = join(import.meta.dirname, '../../../..')

/** `npm run bench -- compare BASE`: gives 1 when some figure is worse here than there. */
export async function compare(args: readonly string[]): Promise<number> {
  const { base, names, build, only, rounds, threshold } = parseCompare(args)
  const interrupted = new AbortController()
  const interrupt = (): void => interrupted.abort(new Error('Interrupted; the other revision is removed.'))
  for (const signal of SIGNALS) process.once(signal, interrupt)
  const here = { root: ROOT, signal: interrupted.signal }
  try {
    if (build) buildBenched()
    return await withCheckout(here, base, async ({ root, commit }) => {
      const there = { ...here, root, name: `${base} (${commit.slice(0, 10)})` }
      const comparisons: [string, Comparison][] = []
      for (const suite of names) {
        const run = { suite, only }
        const head = { ...here, name: 'the working tree' }
        comparisons.push([suite, await compareSuite(there, head, run, { rounds, threshold })])
      }
      say('')
      console.log(
        printSections([
          {
            title: `The working tree beside ${there.name}`,
            text: [
              `Quick looks in ${rounds} rounds, A B B A; means, their change, and where it lies with 95 % confidence.`,
              `Worse is what has changed for the worse by more than ${threshold * 100} %, with its whole interval on that side.`,
            ],
          },
          ...comparisons.map(([suite, comparison]) => presentComparison(suite, comparison)),
        ]),
      )
      return comparisons.some(([, { figures }]) => figures.some(({ isWorse }) => isWorse)) ? 1 : 0
    })
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** @throws when an option or a word is wrong, with what was expected */
export function parseCompare(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      threshold: { type: 'string', default: '10' },
      only: { type: 'string', multiple: true, default: [] },
      'skip-build': { type: 'boolean', default: false },
    },
  })
  const [base, ...named] = positionals
  if (base === undefined) {
    throw new Error('compare takes the revision to compare with: npm run bench -- compare main')
  }
  const known = suites.map(({ name }) => name)
  const unknown = named.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`There is no suite "${unknown}", only ${known.join(', ')}.`)
  const rounds = Number(values.rounds)
  if (!(Number.isInteger(rounds) && rounds >= 2)) {
    throw new Error(`--rounds ${values.rounds}: it takes a whole number of rounds, from 2 on.`)
  }
  const percent = Number(values.threshold)
  if (!(percent >= 0)) throw new Error(`--threshold ${values.threshold}: it takes percent, from 0 on.`)
  const steady = suites.filter((suite) => suite.isSteady).map(({ name }) => name)
  return {
    base,
    names: named.length > 0 ? named : steady,
    only: values.only,
    build: !values['skip-build'],
    rounds,
    threshold: percent / 100,
  }
}
