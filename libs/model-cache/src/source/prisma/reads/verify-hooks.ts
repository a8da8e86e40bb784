import { readHooksError } from '../../../configuration-errors.js'
import { hasQueryHooks } from '../client-extensions.js'
import { readsOf } from './answer-reads.js'
import { answerableActions } from '../operations.js'

/**
 * Looks for query hooks of the client from which caches load their rows. Such a hook, for example of soft deletes, decides what a query
 * returns; caches that answer queries load below all hooks, so that it would not see what `cache.get` returns.
 *
 * @returns a warning instead of an error in shadow mode
 * @throws ConfigurationError
 */
export function verifyHooks(client: object): readonly string[] {
  const reads = readsOf(client)
  if (!reads || reads.settings.skipsHooks) return []
  const hooked = reads.models
    .answered()
    .filter((model) => [...answerableActions].some((action) => hasQueryHooks(client, model, action)))
  if (hooked.length === 0) return []
  const error = readHooksError(hooked)
  if (!reads.settings.isShadow) throw error
  // The log adds the period.
  return [error.message.replace(/\.$/, '')]
}
