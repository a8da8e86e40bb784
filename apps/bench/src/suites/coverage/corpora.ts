import { join } from 'node:path'
import { booking } from './corpus/booking.ts'
import type { CallSite } from './corpus/call-site.ts'
import { demo } from './corpus/demo.ts'
import { shop } from './corpus/shop.ts'
import { workspace } from './corpus/workspace.ts'

/** An application: its schema, and what it asks. */
export interface Corpus {
  readonly name: string
  readonly schema: string
  readonly sites: readonly CallSite[]
}

/** Written for this suite, as applications of that kind ask. */
const schemaOf = (name: string): string => join(import.meta.dirname, `corpus/${name}.prisma`)

export const corpora: readonly Corpus[] = [
  { name: 'demo', schema: join(import.meta.dirname, '../../../../../prisma/schema.prisma'), sites: demo },
  { name: 'shop', schema: schemaOf('shop'), sites: shop },
  { name: 'workspace', schema: schemaOf('workspace'), sites: workspace },
  { name: 'booking', schema: schemaOf('booking'), sites: booking },
]
