import { type } from 'arktype'
import { modelCaches } from 'model-cache'

const { defineModelCache } = modelCaches()

export interface L1Row {
  id: string
  version: number
}

/** Rows that L1 keeps as long as the store, so that only an invalidation removes them. */
export const l1Rows = defineModelCache<L1Row>()({
  model: 'Row',
  schema: type({ id: 'string', version: 'number' }),
  id: 'id',
  ttl: '1h',
  l1: { ttl: '1h' },
})
