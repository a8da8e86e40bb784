/** What users make of a client: computed fields, hooks, and both. */

export interface Extensible {
  $extends(extension: object): Extensible
}

interface Hook {
  readonly model: string
  readonly operation: string
  readonly args: Record<string, unknown>
  readonly query: (args: object) => Promise<unknown>
}

const computedFields = {
  person: {
    label: {
      needs: { name: true, nick: true },
      compute: ({ name, nick }: { name: string; nick: string | null }) => `${name} (${nick})`,
    },
    hint: { needs: { secret: true }, compute: ({ secret }: { secret: string }) => secret.length },
  },
  article: {
    // The whole row, as far as it was selected.
    keys: { compute: (row: object) => Object.keys(row).join() },
    day: {
      needs: { created: true },
      compute: ({ created }: { created: Date }) => created.toISOString().slice(0, 10),
    },
  },
  seat: {
    total: {
      needs: { price: true, row: true },
      compute: ({ price, row }: { price: object; row: bigint }) => `${String(price)}/${row}`,
    },
  },
  everything: {
    size: { needs: { bytes: true }, compute: ({ bytes }: { bytes: Uint8Array }) => bytes.length },
    save: {
      needs: { id: true },
      compute:
        ({ id }: { id: number }) =>
        () =>
          id,
    },
  },
}

/** Take the place of fields that the models have. */
const shadowingFields = {
  person: { name: { needs: { name: true }, compute: ({ name }: { name: string }) => name.toUpperCase() } },
  article: {
    title: {
      needs: { title: true, id: true },
      compute: ({ title, id }: { title: string; id: number }) => `${id} ${title}`,
    },
    id: { needs: { id: true }, compute: ({ id }: { id: number }) => `article ${id}` },
  },
  $allModels: { id: { needs: {}, compute: () => 'hidden' } },
}

const reads = new Set(['findUnique', 'findUniqueOrThrow', 'findFirst', 'findFirstOrThrow', 'findMany'])

export const extensions: Readonly<Record<string, (client: Extensible) => Extensible>> = {
  computed: (client) => client.$extends({ result: computedFields }),
  computedTwice: (client) =>
    client.$extends({ result: computedFields }).$extends({
      name: 'second',
      result: {
        person: {
          greeting: { needs: { label: true }, compute: ({ label }: { label: string }) => `Dear ${label}` },
        },
        $allModels: { kind: { compute: () => 'row' } },
      },
    }),
  shadowing: (client) => client.$extends({ result: shadowingFields }),
  filtering: (client) =>
    client.$extends({
      query: {
        article: {
          $allOperations: ({ operation, args, query }: Hook) =>
            reads.has(operation) && isObject(args.where)
              ? query({ ...args, where: { ...args.where, isPublic: true } })
              : query(args),
        },
        $allModels: {
          findMany: ({ args, query }: Hook) => query({ ...args, take: args.take ?? 3 }),
        },
      },
    }),
  changing: (client) =>
    client.$extends({
      query: {
        $allOperations: async ({ operation, args, query }: Hook) => {
          const result = await query(args)
          if (!reads.has(operation)) return result
          if (Array.isArray(result)) return result.map((row: object) => ({ ...row, added: 1 }))
          return result && typeof result === 'object' ? Object.assign(result, { added: 1 }) : result
        },
      },
    }),
  delayed: (client) =>
    client.$extends({
      query: {
        $allModels: {
          $allOperations: async ({ args, query }: Hook) => {
            await new Promise(setImmediate)
            return query(args)
          },
        },
      },
      result: { article: computedFields.article },
    }),
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
