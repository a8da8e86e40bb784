import type { CallSite } from '../ask.ts'

const now = new Date('2026-06-01T00:00:00Z')
const card = { id: true, slug: true, title: true, price: true } as const

/** What a shop asks: storefront, account, checkout, back office and jobs. */
export const shop: readonly CallSite[] = [
  // Sign-in and session
  ['customer.findUnique', (a) => ({ where: { email: a('customer.email') } })],
  ['customer.findUnique', (a) => ({ where: { id: a('customer.id') } })],
  [
    'customer.findUnique',
    (a) => ({ where: { id: a('customer.id') }, select: { id: true, name: true, email: true } }),
  ],
  ['customer.findFirst', (a) => ({ where: { email: a('customer.email'), deletedAt: null } })],
  ['customer.findFirst', (a) => ({ where: { email: { equals: a('customer.email'), mode: 'insensitive' } } })],
  ['session.findUnique', (a) => ({ where: { token: a('session.token') }, include: { customer: true } })],
  ['session.findFirst', (a) => ({ where: { token: a('session.token'), expiresAt: { gt: now } } })],
  ['session.findMany', (a) => ({ where: { customerId: a('session.customerId') } })],
  ['session.findMany', () => ({ where: { expiresAt: { lt: now } }, select: { id: true } })],
  ['customer.findUniqueOrThrow', (a) => ({ where: { id: a('customer.id') }, omit: { passwordHash: true } })],
  ['customer.findUnique', (a) => ({ where: { stripeId: a('customer.stripeId') } })],
  ['customer.count', (a) => ({ where: { email: a('customer.email') } })],
  // Account
  [
    'address.findMany',
    (a) => ({ where: { customerId: a('address.customerId') }, orderBy: { isDefault: 'desc' } }),
  ],
  ['address.findFirst', (a) => ({ where: { customerId: a('address.customerId'), isDefault: true } })],
  ['address.findFirst', (a) => ({ where: { id: a('address.id'), customerId: a('address.customerId') } })],
  ['address.findUnique', (a) => ({ where: { id: a('address.id') } })],
  ['address.count', (a) => ({ where: { customerId: a('address.customerId') } })],
  ['customer.findUnique', (a) => ({ where: { id: a('customer.id') }, include: { addresses: true } })],
  [
    'order.findMany',
    (a) => ({
      where: { customerId: a('order.customerId') },
      orderBy: { placedAt: 'desc' },
      include: { lines: true },
    }),
  ],
  [
    'order.findMany',
    (a) => ({
      where: { customerId: a('order.customerId') },
      orderBy: { placedAt: 'desc' },
      skip: 0,
      take: 10,
      include: { lines: { include: { variant: { include: { product: { select: card } } } } } },
    }),
  ],
  ['order.count', (a) => ({ where: { customerId: a('order.customerId') } })],
  [
    'order.findFirst',
    (a) => ({
      where: { id: a('order.id'), customerId: a('order.customerId') },
      include: { lines: true, payments: true, shipments: true, address: true },
    }),
  ],
  ['order.findFirst', (a) => ({ where: { number: a('order.number'), customerId: a('order.customerId') } })],
  [
    'order.findUnique',
    (a) => ({
      where: { number: a('order.number') },
      include: { lines: { include: { variant: true } }, address: true },
    }),
  ],
  [
    'wishItem.findMany',
    (a) => ({
      where: { customerId: a('wishItem.customerId') },
      include: { product: { select: card } },
      orderBy: { createdAt: 'desc' },
    }),
  ],
  [
    'wishItem.findUnique',
    (a) => ({
      where: {
        customerId_productId: { customerId: a('wishItem.customerId'), productId: a('wishItem.productId') },
      },
    }),
  ],
  [
    'wishItem.findMany',
    (a) => ({ where: { customerId: a('wishItem.customerId') }, select: { productId: true } }),
  ],
  // Storefront
  [
    'category.findMany',
    () => ({
      where: { parentId: null },
      orderBy: { position: 'asc' },
      include: { children: { orderBy: { position: 'asc' } } },
    }),
  ],
  [
    'category.findUnique',
    (a) => ({ where: { slug: a('category.slug') }, include: { parent: true, children: true } }),
  ],
  ['category.findUnique', (a) => ({ where: { slug: a('category.slug') } })],
  ['category.findMany', () => ({ orderBy: { name: 'asc' } })],
  ['category.findMany', (a) => ({ where: { parentId: a('category.parentId') } })],
  ['brand.findMany', () => ({ orderBy: { name: 'asc' } })],
  ['brand.findUnique', (a) => ({ where: { slug: a('brand.slug') } })],
  [
    'product.findUnique',
    (a) => ({
      where: { slug: a('product.slug') },
      include: {
        variants: { include: { stock: true }, orderBy: { position: 'asc' } },
        images: { orderBy: { position: 'asc' } },
        brand: true,
        category: true,
        tags: true,
      },
    }),
  ],
  [
    'product.findFirst',
    (a) => ({
      where: { slug: a('product.slug'), status: 'ACTIVE' },
      include: { images: true, variants: true },
    }),
  ],
  [
    'product.findUnique',
    (a) => ({ where: { slug: a('product.slug') }, select: { title: true, description: true } }),
  ],
  [
    'product.findMany',
    () => ({
      where: { status: 'ACTIVE', featured: true },
      take: 8,
      orderBy: { publishedAt: 'desc' },
      include: { images: { take: 1, orderBy: { position: 'asc' } } },
    }),
  ],
  ['product.findMany', () => ({ where: { status: 'ACTIVE' }, orderBy: { publishedAt: 'desc' }, take: 12 })],
  [
    'product.findMany',
    () => ({ where: { status: 'ACTIVE' }, orderBy: { soldCount: 'desc' }, take: 10, select: card }),
  ],
  [
    'product.findMany',
    (a) => ({
      where: { categoryId: a('product.categoryId'), status: 'ACTIVE' },
      orderBy: { publishedAt: 'desc' },
      skip: 24,
      take: 24,
      include: { images: { take: 1 } },
    }),
  ],
  ['product.count', (a) => ({ where: { categoryId: a('product.categoryId'), status: 'ACTIVE' } })],
  [
    'product.findMany',
    (a) => ({
      where: { category: { slug: a('category.slug') }, status: 'ACTIVE' },
      include: { images: true },
    }),
  ],
  ['product.findMany', (a) => ({ where: { brandId: a('product.brandId'), status: 'ACTIVE' }, select: card })],
  [
    'product.findMany',
    (a) => ({
      where: { status: 'ACTIVE', price: { gte: 10, lte: 50 }, categoryId: a('product.categoryId') },
      orderBy: { price: 'asc' },
      take: 24,
    }),
  ],
  [
    'product.findMany',
    () => ({
      where: {
        status: 'ACTIVE',
        OR: [
          { title: { contains: 'a', mode: 'insensitive' } },
          { description: { contains: 'a', mode: 'insensitive' } },
        ],
      },
      take: 20,
    }),
  ],
  ['product.findMany', (a) => ({ where: { tags: { some: { name: a('tag.name') } }, status: 'ACTIVE' } })],
  [
    'product.findMany',
    (a) => ({
      where: { categoryId: a('product.categoryId'), id: { not: a('product.id') }, status: 'ACTIVE' },
      take: 4,
    }),
  ],
  ['product.findMany', (a) => ({ where: { id: { in: [a('product.id')] } }, select: card })],
  [
    'product.findMany',
    (a) => ({
      where: { id: { in: [a('product.id')] }, status: 'ACTIVE' },
      include: { images: { take: 1, orderBy: { position: 'asc' } } },
    }),
  ],
  ['product.findMany', () => ({ where: { status: 'ACTIVE' }, select: { slug: true, updatedAt: true } })],
  [
    'review.findMany',
    (a) => ({
      where: { productId: a('review.productId'), approved: true },
      orderBy: { createdAt: 'desc' },
      take: 10,
      include: { customer: { select: { name: true } } },
    }),
  ],
  [
    'review.aggregate',
    (a) => ({
      where: { productId: a('review.productId'), approved: true },
      _avg: { rating: true },
      _count: true,
    }),
  ],
  ['review.groupBy', (a) => ({ by: ['rating'], where: { productId: a('review.productId') }, _count: true })],
  ['review.count', (a) => ({ where: { productId: a('review.productId'), approved: true } })],
  [
    'review.findUnique',
    (a) => ({
      where: {
        productId_customerId: { productId: a('review.productId'), customerId: a('review.customerId') },
      },
    }),
  ],
  ['page.findFirst', (a) => ({ where: { slug: a('page.slug'), published: true } })],
  ['page.findUnique', (a) => ({ where: { slug: a('page.slug') } })],
  [
    'page.findMany',
    (a) => ({ where: { published: true, locale: a('page.locale') }, select: { slug: true, title: true } }),
  ],
  ['setting.findUnique', (a) => ({ where: { key: a('setting.key') } })],
  ['setting.findMany', () => ({})],
  ['tag.findMany', () => ({ orderBy: { name: 'asc' }, include: { _count: { select: { products: true } } } })],
  // Cart and checkout
  [
    'cart.findUnique',
    (a) => ({
      where: { id: a('cart.id') },
      include: { items: { include: { variant: { include: { product: true, stock: true } } } }, coupon: true },
    }),
  ],
  ['cart.findUnique', (a) => ({ where: { token: a('cart.token') }, include: { items: true } })],
  [
    'cart.findFirst',
    (a) => ({
      where: { customerId: a('cart.customerId'), closedAt: null },
      include: { items: { include: { variant: true } } },
    }),
  ],
  [
    'cart.findFirst',
    (a) => ({ where: { customerId: a('cart.customerId'), closedAt: null }, orderBy: { updatedAt: 'desc' } }),
  ],
  ['cart.findFirst', (a) => ({ where: { id: a('cart.id'), closedAt: null } })],
  [
    'cartItem.findUnique',
    (a) => ({
      where: { cartId_variantId: { cartId: a('cartItem.cartId'), variantId: a('cartItem.variantId') } },
    }),
  ],
  [
    'cartItem.findFirst',
    (a) => ({ where: { cartId: a('cartItem.cartId'), variantId: a('cartItem.variantId') } }),
  ],
  [
    'cartItem.findFirst',
    (a) => ({ where: { id: a('cartItem.id'), cart: { customerId: a('cart.customerId') } } }),
  ],
  [
    'cartItem.findMany',
    (a) => ({
      where: { cartId: a('cartItem.cartId') },
      include: { variant: { select: { price: true, name: true } } },
    }),
  ],
  ['cartItem.count', (a) => ({ where: { cartId: a('cartItem.cartId') } })],
  ['cartItem.aggregate', (a) => ({ where: { cartId: a('cartItem.cartId') }, _sum: { quantity: true } })],
  ['variant.findUnique', (a) => ({ where: { id: a('variant.id') }, include: { product: true } })],
  ['variant.findUnique', (a) => ({ where: { sku: a('variant.sku') } })],
  [
    'variant.findMany',
    (a) => ({ where: { productId: a('variant.productId') }, orderBy: { position: 'asc' } }),
  ],
  ['variant.findMany', (a) => ({ where: { sku: { in: [a('variant.sku')] } } })],
  ['variant.findMany', (a) => ({ where: { id: { in: [a('variant.id')] } }, include: { stock: true } })],
  ['stock.findUnique', (a) => ({ where: { variantId: a('stock.variantId') } })],
  ['stock.findMany', (a) => ({ where: { variantId: { in: [a('stock.variantId')] } } })],
  ['coupon.findUnique', (a) => ({ where: { code: a('coupon.code') } })],
  [
    'coupon.findFirst',
    (a) => ({
      where: { code: a('coupon.code'), active: true, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
    }),
  ],
  ['order.count', (a) => ({ where: { customerId: a('order.customerId'), couponId: a('order.couponId') } })],
  ['payment.findUnique', (a) => ({ where: { intentId: a('payment.intentId') }, include: { order: true } })],
  ['payment.findFirst', (a) => ({ where: { orderId: a('payment.orderId'), status: 'SUCCEEDED' } })],
  [
    'payment.findFirst',
    (a) => ({ where: { orderId: a('payment.orderId') }, orderBy: { createdAt: 'desc' } }),
  ],
  ['order.findUnique', (a) => ({ where: { id: a('order.id') } })],
  ['order.findUnique', (a) => ({ where: { id: a('order.id') }, select: { status: true, total: true } })],
  [
    'order.findUniqueOrThrow',
    (a) => ({
      where: { id: a('order.id') },
      include: { customer: true, lines: { include: { variant: true } } },
    }),
  ],
  [
    'order.findFirst',
    (a) => ({ where: { customerId: a('order.customerId') }, orderBy: { placedAt: 'desc' } }),
  ],
  // Back office and jobs
  [
    'order.findMany',
    () => ({
      where: { status: 'PAID' },
      orderBy: { placedAt: 'asc' },
      include: { customer: true, lines: true },
    }),
  ],
  [
    'order.findMany',
    () => ({
      orderBy: { placedAt: 'desc' },
      skip: 20,
      take: 20,
      include: { customer: { select: { name: true, email: true } } },
    }),
  ],
  ['order.groupBy', () => ({ by: ['status'], _count: true })],
  ['order.aggregate', () => ({ where: { paidAt: { gte: now } }, _sum: { total: true } })],
  [
    'order.findMany',
    () => ({ where: { status: { in: ['PENDING', 'PAID'] }, placedAt: { lt: now } }, select: { id: true } }),
  ],
  [
    'product.findMany',
    () => ({
      orderBy: { createdAt: 'desc' },
      skip: 0,
      take: 50,
      include: { category: true, _count: { select: { variants: true } } },
    }),
  ],
  [
    'stock.findMany',
    () => ({ where: { onHand: { lte: 5 } }, include: { variant: { include: { product: true } } } }),
  ],
  [
    'shipment.findFirst',
    (a) => ({ where: { trackingId: a('shipment.trackingId') }, include: { order: true } }),
  ],
  ['shipment.findMany', (a) => ({ where: { orderId: a('shipment.orderId') } })],
  [
    'customer.findMany',
    () => ({
      where: { OR: [{ name: { contains: 'a' } }, { email: { contains: 'a' } }] },
      take: 25,
      orderBy: { createdAt: 'desc' },
    }),
  ],
]
