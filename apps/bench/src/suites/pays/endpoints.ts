import type { PrismaClient } from './client/client.ts'

/** Purchases of a customer, in mixes with writes and on older versions of Node. */
export const ONE_SIZE = 500
/** Requests between two writes, in mixes with writes. */
export const WRITE_EVERY = 20

/** What one request of an endpoint asks of the client. */
export interface Endpoint {
  readonly name: string
  readonly note: string
  /** Whether it reads no purchases: it asks for the same, however many a customer has, and no write of a mix changes it. */
  readonly isOfOneSize?: boolean
  run(client: PrismaClient, customerId: string): Promise<unknown>
}

const whole = { address: true, product: true, labels: { orderBy: { id: 'asc' } } } as const
const newest = [{ boughtAt: 'desc' }, { id: 'desc' }] as const
const codes = Array.from({ length: 12 }, (_, i) => `C${i + 1}`)
const skus = Array.from({ length: 12 }, (_, i) => `SKU-${i + 2}`)

/** The requests of an account page and what is around it, as found in public applications. */
export const endpoints: readonly Endpoint[] = [
  {
    name: 'guard',
    note: 'a customer with addresses and the number of purchases',
    run: (client, customerId) =>
      client.customer.findUnique({
        where: { id: customerId },
        include: { addresses: { orderBy: { id: 'asc' } }, _count: { select: { purchases: true } } },
      }),
  },
  {
    name: 'session',
    note: 'a customer by email',
    isOfOneSize: true,
    run: (client, customerId) =>
      client.customer.findUnique({ where: { email: `${customerId}@example.com` } }),
  },
  {
    name: 'addresses',
    note: 'the addresses of a customer, with their countries',
    isOfOneSize: true,
    run: (client, customerId) =>
      client.address.findMany({
        where: { customerId },
        include: { country: true },
        orderBy: { id: 'asc' },
      }),
  },
  {
    name: 'purchases',
    note: 'all purchases, each with address, product and labels',
    run: (client, customerId) =>
      client.purchase.findMany({
        where: { customerId },
        include: whole,
        orderBy: { boughtAt: 'asc' },
      }),
  },
  {
    name: 'export',
    note: 'some fields of all purchases, and of their products',
    run: (client, customerId) =>
      client.purchase.findMany({
        where: { customerId },
        select: {
          id: true,
          boughtAt: true,
          quantity: true,
          unitPrice: true,
          product: { select: { sku: true, name: true } },
        },
        orderBy: { boughtAt: 'asc' },
      }),
  },
  {
    name: 'page',
    note: 'the newest 20 purchases, whole, and the number of all',
    run: (client, customerId) => {
      const where = { customerId }
      return Promise.all([
        client.purchase.findMany({ where, include: whole, orderBy: [...newest], take: 20 }),
        client.purchase.count({ where }),
      ])
    },
  },
  {
    name: 'count',
    note: 'the number of purchases',
    run: (client, customerId) => client.purchase.count({ where: { customerId } }),
  },
  {
    name: 'latest',
    note: 'the newest purchase, with its product',
    run: (client, customerId) =>
      client.purchase.findFirst({
        where: { customerId },
        include: { product: true },
        orderBy: [...newest],
      }),
  },
  {
    name: 'search',
    note: 'purchases by their state and a text in their note',
    run: (client, customerId) =>
      client.purchase.findMany({
        where: { customerId, state: 'sent', note: { contains: 'note 1' } },
        orderBy: { boughtAt: 'asc' },
      }),
  },
  {
    name: 'prices',
    note: '12 products by SKU, each with its latest price',
    isOfOneSize: true,
    run: (client) =>
      client.product.findMany({
        where: { sku: { in: skus } },
        include: { prices: { orderBy: { day: 'desc' }, take: 1 } },
        orderBy: { sku: 'asc' },
      }),
  },
  {
    name: 'history',
    note: 'a product with its prices of 2,000 days',
    isOfOneSize: true,
    run: (client) =>
      client.product.findUnique({
        where: { sku: 'SKU-1' },
        include: { prices: { orderBy: { day: 'asc' } } },
      }),
  },
  {
    name: 'countries',
    note: '12 small rows, each looked up by itself',
    isOfOneSize: true,
    run: (client) => Promise.all(codes.map((code) => client.country.findUnique({ where: { code } }))),
  },
]
