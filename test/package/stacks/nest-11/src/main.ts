import { NestFactory } from '@nestjs/core'
import { AppModule } from './app.module'
import { PrismaService } from './prisma.service'

async function bootstrap() {
  const app = await NestFactory.create(AppModule, { logger: ['warn', 'error'] })
  app.enableShutdownHooks()
  await app.listen(process.env.PORT ?? 0)
  const prisma = app.get(PrismaService)
  const url = `${await app.getUrl()}/products`
  const read = async (path: string) => (await fetch(url + path)).json()
  const rename = (name: string) =>
    fetch(`${url}/1`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    })

  const { name, price } = await read('/1')
  const { queries } = prisma
  await read('/1')
  console.log(name, price, 'read again with', prisma.queries - queries, 'queries')
  await rename('Chai')
  console.log(await read('?ids=2,1,99'))
  await rename('Tea')
  await app.close()
}
void bootstrap()
