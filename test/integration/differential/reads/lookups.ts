/** The lookups of the definitions whose caches answer reads: keys of every type, conditions of every form, orders with and without ties. */

import type { Model } from './models.ts'

/** The options of a definition. */
export interface Lookups {
  readonly unique?: Readonly<Record<string, string | readonly string[] | ListOptions>>
  readonly lists?: Readonly<Record<string, ListOptions>>
}

interface ListOptions {
  readonly fold?: 'case'
  readonly caseSensitive?: true
  readonly by?: string | readonly string[]
  readonly through?: string
  readonly where?: Readonly<Record<string, unknown>>
  readonly orderBy?: object
  readonly limit?: number
}

export const lookups = {
  Person: { unique: { email: 'email' }, lists: { reports: { by: 'bossId', orderBy: { name: 'asc' } } } },
  Article: {
    unique: { place: ['authorId', 'title'] },
    lists: {
      ofAuthor: { by: 'authorId', orderBy: { rank: { sort: 'desc', nulls: 'last' } } },
      best: {
        by: 'authorId',
        where: { isPublic: true },
        orderBy: [{ rank: 'desc' }, { id: 'asc' }],
        limit: 2,
      },
      onTopic: { through: 'topics', orderBy: { created: 'asc' } },
      newest: { by: 'isPublic', orderBy: [{ created: 'desc' }, { id: 'desc' }], limit: 1 },
      unranked: { by: ['isPublic', 'created'], where: { rank: null } },
      ranked: {
        by: ['created'],
        where: { rank: { not: null }, title: { in: ['title 0', 'title 2', 'title 4', 'new'] } },
        orderBy: [{ title: 'desc' }],
      },
    },
  },
  Topic: { lists: { ofArticle: { through: 'articles', orderBy: { word: 'desc' } } } },
  Review: {
    lists: {
      ofPerson: { by: 'personId', where: { note: 'note' }, orderBy: [{ articleId: 'desc' }] },
      ofArticle: {
        by: 'articleId',
        orderBy: [{ note: { sort: 'asc', nulls: 'first' } }, { personId: 'desc' }],
      },
    },
  },
  Pass: { unique: { holder: 'holderId' }, lists: { byPhoto: { by: 'photo' } } },
  Seat: {
    unique: { label: 'label' },
    lists: {
      inState: { by: ['state', 'hall'], orderBy: [{ row: 'desc' }, { hall: 'asc' }, { place: 'asc' }] },
      atPrice: { by: 'price', where: { label: { not: null } }, orderBy: { place: 'asc' } },
    },
  },
  Word: {
    unique: { position: ['n', 'mood'] },
    lists: { inMood: { by: 'mood', orderBy: { n: 'desc' }, limit: 3 } },
  },
  Everything: {
    lists: {
      onDate: { by: 'date' },
      inCitext: { by: 'citext' },
      inMood: { by: 'mood', orderBy: { stamptz6: 'desc' } },
    },
  },
  Fan: { lists: { ofTeam: { by: 'teamName', orderBy: { id: 'desc' } }, atRate: { by: 'paid' } } },
  Rate: { unique: { value: 'value' } },
  Maybe: { lists: { whether: { by: 'bool', orderBy: [{ int: 'asc' }] }, at: { by: 'stamptz' } } },
} satisfies Readonly<Record<string, Lookups>>

/** One lookup, in one form. */
export interface TestLookup {
  readonly model: string
  readonly name: string
  readonly kind: 'unique' | 'list'
  readonly by: readonly string[]
  /** The relation of which the key is the id of the other side. */
  readonly through: string | undefined
  readonly isCompound: boolean
  readonly where: Readonly<Record<string, unknown>>
  readonly orderBy: readonly object[]
  readonly limit: number | undefined
}

export function testLookupsOf(all: Readonly<Record<string, Lookups>>): readonly TestLookup[] {
  return Object.entries(all).flatMap(([model, { unique = {}, lists = {} }]) => [
    ...Object.entries(unique).map(([name, by]) => lookupOf(model, 'unique', name, optionsOf(by))),
    ...Object.entries(lists).map(([name, options]) => lookupOf(model, 'list', name, options)),
  ])
}

/** The options of a unique key, which has its fields alone where text needs none. */
function optionsOf(by: string | readonly string[] | ListOptions): ListOptions {
  return typeof by === 'string' || Array.isArray(by) ? { by: by as string } : (by as ListOptions)
}

/**
 * The lookups that a database can have: others than PostgreSQL compare text by a collation, or decimals as floating-point numbers, and
 * sessions outside of UTC have several moments that are one date.
 *
 * @param name of the database
 */
export function lookupsOf(
  name: string,
  models: Readonly<Record<string, Model>>,
  isUtc: boolean,
): Readonly<Record<string, Lookups>> {
  const all: Readonly<Record<string, Lookups>> = lookups
  const isPostgres = name === 'postgresql'
  if (isPostgres && isUtc) return all
  const adapted = <Option extends string | readonly string[] | ListOptions>(
    model: string,
    options: Readonly<Record<string, Option>> = {},
  ): Readonly<Record<string, Option | ListOptions>> =>
    Object.fromEntries(
      Object.entries(options).flatMap(([lookup, given]) => {
        const { by = [], where = {} } = optionsOf(given)
        const fields = [by, Object.keys(where)].flat(2).map((field) => models[model]!.fields[field]!)
        if (isPostgres) return fields.some(({ native }) => native === 'Timestamptz') ? [] : [[lookup, given]]
        const types = fields.map(({ type }) => type)
        if (types.includes('Decimal')) return []
        const compared = types.includes('String') && comparesText[name]
        return [[lookup, compared ? { ...optionsOf(given), ...compared } : given]]
      }),
    )
  return Object.fromEntries(
    Object.entries(all).map(([model, { lists, unique }]) => [
      model,
      {
        unique: adapted(model, unique),
        lists: adapted(model, lists) as Readonly<Record<string, ListOptions>>,
      },
    ]),
  )
}

/** What a definition says of the collations of a database. */
const comparesText: Readonly<Record<string, Pick<ListOptions, 'fold' | 'caseSensitive'>>> = {
  mysql: { fold: 'case' },
  'mysql-binary': { caseSensitive: true },
}

function lookupOf(
  model: string,
  kind: TestLookup['kind'],
  name: string,
  { by = 'id', through, where = {}, orderBy = [], limit }: ListOptions,
): TestLookup {
  return {
    model,
    kind,
    name,
    by: [by].flat() as string[],
    through,
    isCompound: Array.isArray(by),
    where,
    orderBy: [orderBy].flat(),
    limit,
  }
}
