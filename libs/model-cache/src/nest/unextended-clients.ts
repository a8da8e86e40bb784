import type { ModulesContainer } from '@nestjs/core'
import { adapterConfigOf, isIntercepted, originalOf, schemaOf } from '../source/prisma/internals.js'

/**
 * Warns of the Prisma clients that an application provides beside the extended one, with the same schema, and that are not extended: most
 * often the class of the client, in the `providers` of a second module. Clients that no module provides cannot be seen.
 *
 * @param prisma the extended client
 */
export function unextendedClients(prisma: object, modules: ModulesContainer): readonly string[] {
  const seen = new Set<object>()
  return [...modules.values()].flatMap((module) =>
    [...module.providers.values()].flatMap(({ instance, name }) => {
      const original = unextendedLike(prisma, instance)
      if (!original || seen.has(original)) return []
      seen.add(original)
      return [warningOf(String(name), module.name)]
    }),
  )
}

/** The constructed client behind a provider, if it may write to the database of the other one without that anyone notices. */
function unextendedLike(prisma: object, provided: unknown): object | undefined {
  try {
    const client = Object(provided) as object
    if (isIntercepted(client) || schemaOf(client) === '' || schemaOf(client) !== schemaOf(prisma))
      return undefined
    const [own, other] = [adapterConfigOf(prisma), adapterConfigOf(client)]
    return own !== undefined && other !== undefined && own !== other ? undefined : originalOf(client)
  } catch {
    // Providers may be proxies that answer at certain times only, or to certain properties.
    return undefined
  }
}

function warningOf(name: string, module: string): string {
  return (
    `The Prisma client ${name} of ${module} is not extended, and has the same schema as the one of ModelCacheModule.forRoot. Rows that it ` +
    'writes stay stale in the caches until their ttl ends. If it was created by mistake, as by listing its class in the `providers` of a ' +
    'second module, inject the extended client instead. Otherwise provide it with provideExtendedPrisma: with `replica: true` if it ' +
    'reads a replica, and with a `root` of its own if it has another database'
  )
}
