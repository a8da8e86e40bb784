import { InspectionError } from '../inspection-error.js'
import type { CacheName, InvalidationReport } from '../report.js'

const MAX_LENGTH = 1_000

/** The query of a request. Parsed here, since each application may parse queries in its own way. */
export class Query {
  readonly #parameters: URLSearchParams

  constructor(url: string) {
    const start = url.indexOf('?')
    this.#parameters = new URLSearchParams(start === -1 ? '' : url.slice(start))
  }

  /** @throws InspectionError when the parameter is missing, too long, or there twice */
  required(name: string): string {
    const value = this.optional(name)
    if (value !== undefined) return value
    throw new InspectionError('missing_parameter', 400, `The parameter "${name}" is missing.`)
  }

  /** @throws InspectionError when the parameter is too long, or there twice */
  optional(name: string): string | undefined {
    const [value, ...others] = this.#parameters.getAll(name)
    if (others.length > 0) {
      throw new InspectionError('invalid_parameter', 400, `The parameter "${name}" is given more than once.`)
    }
    if (value !== undefined && value.length > MAX_LENGTH) {
      const problem = `The parameter "${name}" has ${value.length} characters; at most ${MAX_LENGTH} are allowed.`
      throw new InspectionError('invalid_parameter', 400, problem)
    }
    return value
  }
}

/** Returns the cache that a request names. */
export function cacheIn(query: Query): CacheName {
  return { name: query.required('cache'), root: query.optional('root') ?? null }
}

/** Returns what a request invalidates: a row, an entry, or all rows. */
export function targetIn(query: Query): InvalidationReport['target'] {
  const [id, lookup, all] = [query.optional('id'), query.optional('lookup'), query.optional('all')]
  const isAll = all === 'true'
  if ([id !== undefined, lookup !== undefined, isAll].filter(Boolean).length !== 1) {
    const problem = 'Give one of "id", "lookup" (with "key") and "all=true".'
    throw new InspectionError('missing_parameter', 400, problem)
  }
  if (id !== undefined) return { id }
  return lookup === undefined ? { all: true } : { lookup, key: query.required('key') }
}
