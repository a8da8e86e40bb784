import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildBenched } from '../harness/build-benched.ts'
import { choose } from '../harness/comparison.ts'
import { say } from '../harness/progress.ts'
import { printSections } from '../report/text.ts'
import { suites } from '../suites.ts'
import { withCheckout } from './compare/checkout.ts'
import { compareSuite, presentComparison, type Comparison } from './compare/compare-suite.ts'

const ROOT = join(import.meta.dirname, '../../../..')

/** `npm run bench -- compare BASE`. @returns 1 when a figure of the working tree is worse */
export async function compare(args: readonly string[]): Promise<number> {
  const { base, names, build, ...options } = parseCompare(args)
  const interrupted = new AbortController()
  const reason = new Error('Interrupted; the checkout of the other revision is removed.')
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => interrupted.abort(reason))
  const head = { root: ROOT, signal: interrupted.signal, name: 'the working tree' }
  if (build) buildBenched()
  return withCheckout(head, base, async ({ root, commit }) => {
    const there = { ...head, root, name: `${base} (${commit.slice(0, 10)})` }
    const comparisons: [string, Comparison][] = []
    for (const suite of names) comparisons.push([suite, await compareSuite(there, head, suite, options)])
    say('')
    console.log(
      printSections([
        {
          title: `The working tree beside ${there.name}`,
          text: [
            `Quick runs in ${options.rounds} rounds, A B B A: means, their change, and its 95 % confidence interval.`,
            `A figure is worse if it changed for the worse by more than ${options.threshold * 100} %, with its whole interval on that side.`,
          ],
        },
        ...comparisons.map(([suite, comparison]) => presentComparison(suite, comparison)),
      ]),
    )
    return comparisons.some(([, { figures }]) => figures.some(({ isWorse }) => isWorse)) ? 1 : 0
  })
}

/** @throws when an argument is wrong */
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
  if (base === undefined) throw new Error('compare needs a revision: npm run bench -- compare main')
  const chosen = named.length > 0 ? choose('suite', suites, named) : suites.filter(({ isSteady }) => isSteady)
  const rounds = Number(values.rounds)
  if (!(Number.isInteger(rounds) && rounds >= 2)) {
    throw new Error(`--rounds ${values.rounds}: expected a whole number from 2 on.`)
  }
  const percent = Number(values.threshold)
  if (!(percent >= 0)) throw new Error(`--threshold ${values.threshold}: expected percent, from 0 on.`)
  return {
    base,
    names: chosen.map(({ name }) => name),
    only: values.only,
    build: !values['skip-build'],
    rounds,
    threshold: percent / 100,
  }
}
