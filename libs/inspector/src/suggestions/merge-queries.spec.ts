import type { ClientQueries, ModelQueries } from 'model-cache/internal'
import { mergeQueries } from './merge-queries.js'

const queries = (models: readonly ModelQueries[], more: Partial<ClientQueries> = {}): ClientQueries => ({
  composed: ['default'],
  takesAnyRow: true,
  models,
  ...more,
})
const lots = { model: 'Lot', answered: 5, omitted: ['secret'] }
const query = { model: 'Lot', action: 'findMany', reason: 'condition', args: { take: 1 }, count: 3 } as const

describe('queries of several processes', () => {
  it('are none without a process', () => {
    expect(mergeQueries([])).toEqual({ composed: [], takesAnyRow: false, models: [] })
  })

  it('are those of the only one', () => {
    const one = queries([{ ...lots, bypassed: [query] }])
    expect(mergeQueries([one])).toEqual(one)
  })

  it('are added by model, and by action, reason and arguments, the most frequent first', () => {
    const others = [
      { ...query, action: 'count', count: 4 },
      { ...query, reason: 'order', count: 5 },
      { ...query, args: { take: 2 }, count: 6 },
    ] as const
    const one = queries([{ ...lots, bypassed: [query, others[0]] }])
    const another = queries(
      [
        { ...lots, answered: 2, omitted: [], bypassed: [{ ...query, count: 7 }, others[1], others[2]] },
        { ...lots, model: 'Bid', bypassed: [] },
      ],
      { composed: [], takesAnyRow: false },
    )
    const { args, ...argless } = query
    const third = queries([{ ...lots, answered: 1, bypassed: [{ ...argless, count: 1 }] }])
    expect(args).toEqual({ take: 1 })
    expect(mergeQueries([one, another, third])).toEqual(
      queries([
        {
          ...lots,
          answered: 8,
          bypassed: [{ ...query, count: 10 }, others[2], others[1], others[0], { ...argless, count: 1 }],
        },
        { ...lots, model: 'Bid', bypassed: [] },
      ]),
    )
  })

  it('are of the caches of the first client that has some of the model', () => {
    const cache = { idFields: ['id'], fields: ['id'], exactFields: ['id'], lookups: [] }
    const [writer, reader, another] = [undefined, 'Lot', 'LotOfOlderVersion'].map((name) =>
      queries([{ ...lots, bypassed: [], ...(name !== undefined && { caches: [{ ...cache, name }] }) }]),
    )
    const { models } = mergeQueries([writer!, reader!, another!])
    expect(models).toEqual([{ ...lots, answered: 15, bypassed: [], caches: [{ ...cache, name: 'Lot' }] }])
  })
})
