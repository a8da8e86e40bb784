import type { OperatorLog } from '../../protocol/index.js'

let hasWarned = false

/** Warns once for the process: code is forbidden to the process, not to a model. */
export function warnOfSlowCodec(log: OperatorLog): void {
  if (hasWarned) return
  hasWarned = true
  log.warn(
    'This process forbids code generation (--disallow-code-generation-from-strings), so rows are written as JSON and read ' +
      'without compiled code. Everything works, but takes several times as long, and rows in the record format, which ' +
      'processes without the flag store, are not shared with them. Start without the flag, or give every process ' +
      "format: 'json' to share rows.",
  )
}
