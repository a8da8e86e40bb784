import { join } from 'node:path'
import type { CallSite } from './ask.ts'
import { booking } from './corpus/booking.ts'
import { demo } from './corpus/demo.ts'
import { shop } from './corpus/shop.ts'
import { workspace } from './corpus/workspace.ts'

/** An application: its schema, and what it asks. */
export interface Corpus {
  readonly name: string
  readonly schema: string
  readonly sites: readonly CallSite[]
}

const schemaOf = (path: string): string => join(import.meta.dirname, path)

/** All but the demo were written for this suite, as applications of that kind ask. */
export const corpora: readonly Corpus[] = [
  { name: 'demo', schema: schemaOf('../../../../../prisma/schema.prisma'), sites: demo },
  { name: 'shop', schema: schemaOf('corpus/shop.prisma'), sites: shop },
  { name: 'workspace', schema: schemaOf('corpus/workspace.prisma'), sites: workspace },
  { name: 'booking', schema: schemaOf('corpus/booking.prisma'), sites: booking },
]
