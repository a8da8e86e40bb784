/** Runs a step, through either client. */
import type { Client } from './clients.ts'
import { delegateOf } from './models.ts'
import type { Query } from './query.ts'
import type { Step } from './random-read.ts'
import { change, given } from '../manners.ts'

/** What came out of one query. */
export type Outcome =
  { readonly value: unknown; readonly isSameTwice?: boolean } | { readonly error: unknown }

/** @param isDryRun - rolls transactions back, and runs no other write */
export async function perform(client: Client, step: Step, isDryRun: boolean): Promise<readonly Outcome[]> {
  switch (step.form) {
    case 'reads':
      return Promise.all(step.queries.map((query) => outcomeOf(() => start(client, query), step.isTwice)))
    case 'batch':
      return [await outcomeOf(() => client.$transaction(step.queries.map((query) => begin(client, query))))]
    case 'transaction': {
      const outcomes: Outcome[] = []
      const rollback = new Error('abandoned')
      const ended = await outcomeOf(() =>
        client.$transaction(async (tx) => {
          for (const query of step.queries) {
            const outcome = await outcomeOf(() => start(tx, query))
            // How a write fails is not what is compared here.
            if (/^(find|count)/.test(query.operation)) outcomes.push(outcome)
            if ('error' in outcome) throw rollback
          }
          if (isDryRun || step.isAbandoned) throw rollback
        }),
      )
      if ('error' in ended && ended.error !== rollback) outcomes.push(ended)
      return outcomes
    }
    case 'write':
      if (!isDryRun) await outcomeOf(() => start(client, step.queries[0]))
      return []
  }
}

async function outcomeOf(work: () => PromiseLike<unknown>, isTwice = false): Promise<Outcome> {
  try {
    const promise = work()
    const value = await promise
    return isTwice ? { value, isSameTwice: (await promise) === value } : { value }
  } catch (error) {
    return { error }
  }
}

function start(client: Client, query: Query): PromiseLike<unknown> {
  const args = given(query.args, query.manner)
  const promise = begin(client, query, args)
  if (query.manner !== 'changed') return promise
  // Prisma begins when `then` is called.
  const begun = promise.then((value) => value)
  change(args)
  return begun
}

/** Both clients are called here, so that the call sites in messages are the same. */
function begin(client: Client, query: Query, args = given(query.args, query.manner)): PromiseLike<unknown> {
  let promise = client[delegateOf(query.model)]![query.operation]!(args)
  for (const { relation, args } of query.chain ?? []) {
    promise = (promise as unknown as Record<string, (args: unknown) => PromiseLike<unknown>>)[relation]!(
      given(args),
    )
  }
  return promise
}
