import { Test } from '@nestjs/testing'
import { getModelCacheToken, ModelCacheError } from 'model-cache'
import { schemaFactsOf } from 'model-cache/advanced'
import { createTestCache } from 'model-cache/testing'
import { productCache } from './caches'
import { Prisma } from './prisma-client'
import { PrismaService } from './prisma.service'
import { ProductService } from './product.service'

const tea = { id: 1, slug: 'tea', name: 'Tea', price: new Prisma.Decimal('4.50'), createdAt: new Date() }

describe('ProductService', () => {
  it('reads the names of many products at once', async () => {
    const { cache, loads } = createTestCache(productCache, [tea], {
      facts: schemaFactsOf(new PrismaService()),
    })
    const module = await Test.createTestingModule({
      providers: [ProductService, { provide: getModelCacheToken(productCache), useValue: cache }],
    }).compile()
    const service = module.get(ProductService)

    expect(await service.namesOf([1, 99])).toEqual(['Tea', null])
    await service.namesOf([1, 99])
    expect(loads).toEqual([[1, 99]])
    expect(ModelCacheError.prototype).toBeInstanceOf(Error)
  })
})
