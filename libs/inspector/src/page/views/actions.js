import { ApiError, invalidate } from '../api.js'
import { cacheName } from '../processes.js'

/**
 * Invalidates what the reader confirms, and announces the result.
 *
 * @param target `{ id }`, `{ lookup, key }` or `{ all: true }`
 * @returns whether it was invalidated
 */
export async function askToInvalidate({ announce, confirm, pollNow }, cache, target) {
  if (!(await confirm(questionOf(cacheName(cache), target)))) return false
  try {
    const { isPending } = await invalidate(cache, target)
    announce(
      isPending
        ? 'The store does not answer. The invalidation is pending: this process repeats it until the store has taken it.'
        : `${doneOf(cacheName(cache), target)} The next read loads from the database.`,
    )
    void pollNow()
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // Without an answer of the inspector itself, it may have done so.
    const isRefused = error.status >= 400 && error.status < 500
    announce(
      `${isRefused ? 'Nothing was invalidated.' : 'It is unknown whether that was invalidated: repeat it.'} ${error.message}`,
    )
    return false
  }
}

function questionOf(name, { all, id, key, lookup }) {
  if (all) {
    return {
      title: `Invalidate all rows of ${name}?`,
      text: `This removes all rows of ${name} from the cache, in all processes. The next reads load them from the database.`,
      confirm: 'Invalidate all rows',
    }
  }
  if (lookup) {
    return {
      title: `Invalidate this entry of ${lookup}?`,
      text: `This removes the entry ${key} of ${name}.${lookup} from the cache, in all processes. Rows stay. The next read loads it from the database.`,
      confirm: 'Invalidate the entry',
    }
  }
  return {
    title: 'Invalidate this row?',
    text: `This removes the row ${id} of ${name} from the cache, in all processes. The next read loads it from the database.`,
    confirm: 'Invalidate the row',
  }
}

function doneOf(name, { all, lookup }) {
  if (all) return `All rows of ${name} were invalidated.`
  return lookup ? 'The entry was invalidated.' : 'The row was invalidated.'
}
