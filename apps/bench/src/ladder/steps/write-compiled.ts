import fastJson from 'fast-json-stringify'
import type { Report } from './step.ts'

const text = { type: 'string' } as const
const moment = { type: 'string', format: 'date-time' } as const

/** Code that writes a report and nothing else, made of its schema while the process starts. */
export const writeCompiled: (report: Report) => string = fastJson({
  type: 'object',
  properties: {
    id: text,
    lines: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: text,
          lot: text,
          name: text,
          donorName: text,
          category: text,
          status: text,
          startsAt: moment,
          updatedAt: moment,
          bidCount: { type: 'integer' },
          total: text,
          bids: {
            type: 'array',
            items: {
              type: 'object',
              properties: { id: text, bidderId: text, amount: text, source: text, placedAt: text },
            },
          },
        },
      },
    },
  },
})
