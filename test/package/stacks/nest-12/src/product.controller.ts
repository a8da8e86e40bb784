import { Body, Controller, Get, Param, ParseIntPipe, Patch, Query } from '@nestjs/common'
import { PrismaService } from './prisma.service.js'
import { ProductService } from './product.service.js'

@Controller('products')
export class ProductController {
  constructor(
    private readonly prisma: PrismaService,
    private readonly products: ProductService,
  ) {}

  @Get()
  many(@Query('ids') ids: string) {
    return this.products.namesOf(ids.split(',').map(Number))
  }

  @Get(':id')
  one(@Param('id', ParseIntPipe) id: number) {
    return this.prisma.product.findUnique({ where: { id } })
  }

  @Patch(':id')
  rename(@Param('id', ParseIntPipe) id: number, @Body() { name }: { name: string }) {
    return this.prisma.product.update({ where: { id }, data: { name } })
  }
}
