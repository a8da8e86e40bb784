import { invalidOptionError } from 'model-cache/internal'
import { unknownCacheError } from './errors.js'
import type { Actions, Show } from './inspection.js'
import type { Permissions } from './process-inspection.js'
import type { CacheName } from './report.js'

/** The options that say what operators may see and do. */
export interface PermissionOptions {
  /**
   * Which values may be shown: names of fields, `['name']`, or fields by cache, `{ AuctionItem: ['name'], Fundraiser: '*' }`. A cache of
   * a named root is `'billing:User'`. Ids and keys are always shown. @default none: every value is masked
   */
  readonly show?: Show
  /**
   * What operators may do: `['invalidate', 'invalidateAll']` for all caches, or by cache, `{ AuctionItem: ['invalidate'] }`.
   * @default nothing: the inspector is read-only
   */
  readonly actions?: Actions
}

export function permissionsOf({ show, actions }: PermissionOptions): Permissions {
  return {
    isShown: (cache, field) => {
      const fields = permitted<readonly string[] | '*'>(show, cache)
      return fields === '*' || (fields !== undefined && fields.includes(field))
    },
    actionsOf: (cache) => permitted(actions, cache) ?? [],
  }
}

/**
 * Refuses permissions that cannot be meant.
 *
 * @param caches those of the application
 * @throws ConfigurationError
 */
export function verifyPermissions({ show, actions }: PermissionOptions, caches: readonly CacheName[]): void {
  const known = caches.map(qualifiedName)
  verifyPermission('show', show, known)
  verifyPermission('actions', actions, known)
}

const LISTS = {
  show: {
    expected: "a list of fields, such as ['name'], or an object with a list or '*' for each cache",
    isValid: (item: unknown) => typeof item === 'string' && item !== '*',
    hasAll: true,
  },
  actions: {
    expected: "a list of 'invalidate' and 'invalidateAll', or an object with such a list for each cache",
    isValid: (item: unknown) => item === 'invalidate' || item === 'invalidateAll',
    hasAll: false,
  },
}

function verifyPermission(option: keyof typeof LISTS, value: unknown, known: readonly string[]): void {
  const { expected, isValid, hasAll } = LISTS[option]
  const isList = (list: unknown) => Array.isArray(list) && list.every(isValid)
  if (value === undefined || isList(value)) return
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidOptionError(option, value, expected)
  }
  for (const [cache, list] of Object.entries(value)) {
    if (!known.includes(cache)) throw unknownCacheError(option, cache, known)
    if (!isList(list) && !(hasAll && list === '*')) {
      throw invalidOptionError(`${option}.${cache}`, list, expected)
    }
  }
}

/** Returns the entry of an option for a cache: under `'User'`, or under `'billing:User'` for one of the root `billing`. */
function permitted<T>(
  option: readonly string[] | Readonly<Record<string, T>> | undefined,
  cache: CacheName,
): T | undefined {
  if (option === undefined || Array.isArray(option)) return option as T | undefined
  const name = qualifiedName(cache)
  return Object.hasOwn(option, name) ? (option as Readonly<Record<string, T>>)[name] : undefined
}

function qualifiedName({ name, root }: CacheName): string {
  return root === null ? name : `${root}:${name}`
}
