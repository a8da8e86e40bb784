/** Tests that pass plain and do not with an extended client, with the reason. */
import type { Mode } from './modes.ts'

interface Difference {
  /** Of the path and the name of a test. */
  readonly tests: RegExp
  readonly modes: readonly Mode[]
  readonly reason: string
}

const answered = 'It counts the statements of reads, of which caches answer some; comparisons send more.'
const asked =
  'It counts the statements of a transaction; before the first of a client, the library asks the database about its tables.'
const logged = 'It counts the errors in a log, and each comparison causes the error again.'

export const differences: readonly Difference[] = [
  {
    tests: /^batching(?:-compound|-relation)?\/tests\.ts: /,
    modes: ['extended', 'compared'],
    reason: answered,
  },
  {
    tests:
      /^extensions\/query\.ts: .*(?:extending (?:a specific|with) |top to bottom execution order|args mutation )/,
    modes: ['extended', 'compared'],
    reason: answered,
  },
  {
    // Raw queries of an array, and those that an extension passes on, may write.
    tests: /^extensions\/query\.ts: .*(?:transforming a simple query into|hijacking) a batch transaction/,
    modes: ['extended', 'compared'],
    reason: asked,
  },
  {
    tests: /^issues\/18276-batch-order\/tests\.ts: /,
    modes: ['extended', 'compared'],
    reason: asked,
  },
  {
    tests: /^logging\/tests\.ts: .* inside a ITX$/,
    modes: ['extended', 'compared'],
    reason: asked,
  },
  {
    tests: /^query-error-logging\/tests\.ts: .*OrThrown? when error thrown$/,
    modes: ['compared'],
    reason: logged,
  },
]
