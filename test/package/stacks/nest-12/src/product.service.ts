import { Injectable } from '@nestjs/common'
import { type CacheOf, InjectModelCache } from 'model-cache'
import { productCache } from './caches.js'

@Injectable()
export class ProductService {
  constructor(@InjectModelCache(productCache) private readonly products: CacheOf<typeof productCache>) {}

  async namesOf(ids: number[]): Promise<(string | null)[]> {
    const products = await this.products.getMany(ids)
    return products.map((product) => product?.name ?? null)
  }
}
