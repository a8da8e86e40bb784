import { invalidOptionError } from '../configuration-errors.js'
import { coordinatorOf, readsReplica } from '../source/prisma/extended-clients.js'
import { schemaFactsOf } from '../source/prisma/schema/describe-schema.js'

/**
 * @param names of the two, for the message
 * @throws ConfigurationError unless the first is the client of the primary of PostgreSQL whose standby the second one reads
 */
export function verifyPrimary(
  primary: object | undefined,
  standby: object,
  names: readonly [primary: string, standby: string] = ['a client', 'a client'],
): asserts primary is object {
  const isExtended = primary !== undefined && coordinatorOf(primary) === coordinatorOf(standby)
  if (
    isExtended &&
    readsReplica(standby) &&
    !readsReplica(primary) &&
    schemaFactsOf(standby).provider === 'postgresql'
  )
    return
  throw invalidOptionError(
    'primary',
    names[0],
    'the client that writes to the primary, extended for the same caches, beside a `prisma` of a standby of PostgreSQL that is extended ' +
      `with { replica: true }; \`prisma\` is ${names[1]}`,
  )
}
