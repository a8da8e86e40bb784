import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildBenched } from '../harness/build-benched.ts'
import { choose, type Suite } from '../harness/comparison.ts'
import { say } from '../harness/progress.ts'
import { isChanged, readResult, revisionOf, thisMachine } from '../harness/result.ts'
import { suites } from '../suites.ts'

const MAIN = join(import.meta.dirname, '../main.ts')

/**
 * `npm run bench -- all`: measures each suite whose stored result is of other sources or of another machine, in the order of the list.
 * An interrupted run goes on where it was. @returns 1 when a suite failed
 */
export async function all(args: readonly string[]): Promise<number> {
  const { chosen, list, quick } = parseAll(args)
  const states = chosen.map((suite) => ({ suite, outdated: quick ? 'a quick run' : outdatedBecause(suite) }))
  const due = states.filter(({ outdated }) => outdated !== undefined)
  for (const { outdated, suite } of states)
    console.log(`${suite.name.padEnd(16)} ${outdated ?? 'is current'}${tookLast(suite)}`)
  if (list || due.length === 0) return 0
  if (!quick && revisionOf().dirty)
    throw new Error(
      'Sources have changes that are not committed, so that results of all suites would be of no commit. Commit or stash them; --quick, which stores nothing, measures any sources.',
    )
  buildBenched()
  const failed = due.filter(({ suite }, index) => {
    say(`\n${suite.name}, ${index + 1} of ${due.length}`)
    const options = ['--skip-build', ...(quick ? ['--quick'] : [])]
    return spawnSync(process.execPath, [MAIN, suite.name, ...options], { stdio: 'inherit' }).status !== 0
  })
  const names = failed.map(({ suite }) => suite.name).join(', ')
  console.log(
    `\n${due.length - failed.length} of ${due.length} suites succeeded${names && `; failed: ${names}`}`,
  )
  return failed.length > 0 ? 1 : 0
}

/** @throws when an argument is wrong */
export function parseAll(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      list: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      skip: { type: 'string', multiple: true, default: [] },
    },
  })
  const skipped = values.skip.length > 0 ? choose('suite', suites, values.skip) : []
  return {
    chosen: suites.filter((suite) => !skipped.includes(suite)),
    list: values.list,
    quick: values.quick,
  }
}

function tookLast({ name }: Suite): string {
  const seconds = readResult(name)?.tookSeconds
  return seconds === undefined ? '' : `; took ${Math.ceil(seconds / 60)} min`
}

/** Why the stored result of a suite says nothing of these sources on this machine; undefined if it does. */
function outdatedBecause(suite: Suite): string | undefined {
  const result = readResult(suite.name)
  if (!result) return 'has no stored result'
  const { cpu, machine, revision } = result
  if (revision.commit === undefined) return 'was measured outside of a clone'
  if (revision.dirty)
    return `was measured with changes to ${revision.commit.slice(0, 10)} that were not committed`
  const here = thisMachine()
  if (cpu !== here.cpu) return `was measured on ${cpu}, and not on ${here.cpu}`
  if (machine.memoryGb !== here.machine.memoryGb)
    return `was measured with ${machine.memoryGb} GB of memory, and not with ${here.machine.memoryGb}`
  return isChanged(revision.commit)
    ? `was measured at ${revision.commit.slice(0, 10)}; the library has changed since`
    : undefined
}
