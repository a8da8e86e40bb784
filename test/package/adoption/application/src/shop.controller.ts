import { Body, Controller, Get, NotFoundException, Param, ParseIntPipe, Patch, Query } from '@nestjs/common'
import type { Prisma } from './generated/prisma/client.js'
import { PrismaService } from './prisma.service.js'

/** Queries as an application without a cache has them. */
@Controller()
export class ShopController {
  constructor(private readonly prisma: PrismaService) {}

  @Get('customers/:id')
  async customer(@Param('id') id: string) {
    const customer = await this.prisma.customer.findUnique({ where: { id }, omit: { passwordHash: true } })
    if (!customer) throw new NotFoundException()
    return customer
  }

  @Get('customers')
  customerOf(@Query('email') email: string) {
    return this.prisma.customer.findUniqueOrThrow({ where: { email }, select: { id: true, tier: true } })
  }

  @Get('products')
  products(@Query('ids') ids: string) {
    return this.prisma.product.findMany({
      where: { id: { in: ids.split(',').map(Number) } },
      orderBy: { id: 'asc' },
    })
  }

  @Get('products/:id')
  product(@Param('id', ParseIntPipe) id: number) {
    return this.prisma.product.findFirst({ where: { id } })
  }

  @Get('products/:id/price')
  price(@Param('id', ParseIntPipe) id: number) {
    return this.prisma.product.findUniqueOrThrow({ where: { id }, select: { stock: true, price: true } })
  }

  @Get('orders/:id')
  order(@Param('id') id: string) {
    return this.prisma.order.findUnique({ where: { id: BigInt(id) }, include: { lines: true } })
  }

  @Get('orders/:id/head')
  head(@Param('id') id: string) {
    return this.prisma.order.findUnique({ where: { id: BigInt(id) } })
  }

  @Get('orders/:id/lines/:position')
  line(@Param('id') id: string, @Param('position', ParseIntPipe) position: number) {
    return this.prisma.orderLine.findUnique({
      where: { orderId_position: { orderId: BigInt(id), position } },
    })
  }

  @Patch('customers/:id')
  changeCustomer(@Param('id') id: string, @Body() data: Prisma.CustomerUpdateInput) {
    return this.prisma.customer.update({ where: { id }, data, omit: { passwordHash: true } })
  }

  @Patch('products')
  async changePrices(@Query('unit') unit: 'PIECE' | 'KILOGRAM', @Body() { price }: { price: string }) {
    return this.prisma.product.updateMany({ where: { unit }, data: { price } })
  }
}
