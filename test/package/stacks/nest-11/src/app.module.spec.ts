import { Test } from '@nestjs/testing'
import { ModelCacheWrites } from 'model-cache'
import { AppModule } from './app.module'
import { Prisma } from './prisma-client'
import { PrismaService } from './prisma.service'
import { ProductService } from './product.service'

describe('AppModule', () => {
  it('reads through a cache, and sees its own writes', async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile()
    await module.init()
    const prisma = module.get(PrismaService)
    const service = module.get(ProductService)

    const { id } = await prisma.product.create({ data: { slug: 'rooibos', name: 'Rooibos', price: 5 } })
    expect(await service.namesOf([id])).toEqual(['Rooibos'])
    await prisma.product.update({ where: { id }, data: { name: 'Redbush' } })
    expect(await service.namesOf([id])).toEqual(['Redbush'])
    expect((await prisma.product.findUnique({ where: { id } }))?.price).toEqual(new Prisma.Decimal(5))

    await module.get(ModelCacheWrites).released()
    await module.close()
  }, 60_000)
})
