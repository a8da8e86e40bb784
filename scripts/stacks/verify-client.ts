/** Checks what the library assumes of Prisma, with the client of the tests: all that a start with `reads` checks. */
import { PrismaPg } from '@prisma/adapter-pg'
import { extendPrisma, ModelCacheWrites } from 'model-cache'
import { verifyExtension, verifyReads } from 'model-cache/advanced'
import { PrismaClient } from '../../test/integration/differential/client/client.ts'

const adapter = new PrismaPg({ connectionString: 'postgresql://nothing-connects' })
const client = extendPrisma(new PrismaClient({ adapter }), new ModelCacheWrites(), { reads: 'all' })
const losses = [...(await verifyExtension(client)), ...(await verifyReads(client))]
if (losses.length > 0) throw new Error(losses.join('\n'))
console.log('Prisma is as the library expects it.')
