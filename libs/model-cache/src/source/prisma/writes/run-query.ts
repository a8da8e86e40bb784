import type { Args, HookCall } from '../internals.js'
import type { Row } from './literals.js'
import type { WriteContext } from './write-context.js'

/** What the caller gets, and the written rows as far as the database has returned them. */
export interface Outcome {
  readonly result: unknown
  readonly rows?: readonly Row[]
}

/** Runs a query as it is. */
export async function plain(context: WriteContext, call: HookCall): Promise<Outcome> {
  return { result: await query(context, call, call.args) }
}

/** Runs a query in the transaction, with other arguments. */
export function query(
  { transaction }: WriteContext,
  call: HookCall,
  args: Args,
  params: object = {},
): PromiseLike<unknown> {
  return call.query(args, { ...call.params, transaction, ...params })
}
