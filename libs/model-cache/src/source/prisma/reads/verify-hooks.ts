import { readHooksError } from '../../../configuration-errors.js'
import { hasQueryHooks } from '../client-extensions.js'
import { readsOn } from './answer-reads.js'
import { findActions } from '../operations.js'

/**
 * Looks for query hooks of the client from which caches load their rows. Such a hook, for example of soft deletes, decides what a query
 * returns; caches that answer queries load below all hooks, so that it would not see what `cache.get` returns.
 *
 * @returns a warning instead of an error in shadow mode
 * @throws ConfigurationError
 */
export function verifyHooks(client: object): readonly string[] {
  const checked = readsOn(client).filter(({ settings }) => !settings.skipsHooks)
  const hooked = (isShadow: boolean): readonly string[] => {
    const models = checked
      .filter(({ settings }) => settings.isShadow === isShadow)
      .flatMap((reads) => reads.models.answered())
    return [...new Set(models)].filter((model) =>
      [...findActions].some((action) => hasQueryHooks(client, model, action)),
    )
  }
  const answered = hooked(false)
  if (answered.length > 0) throw readHooksError(answered)
  const shadowed = hooked(true)
  // The log adds the period.
  return shadowed.length > 0 ? [readHooksError(shadowed).message.replace(/\.$/, '')] : []
}
