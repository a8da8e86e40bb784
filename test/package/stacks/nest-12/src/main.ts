import { NestFactory } from '@nestjs/core'
import { AppModule } from './app.module.js'
import { PrismaService } from './prisma.service.js'

async function bootstrap() {
  const app = await NestFactory.create(AppModule, { logger: ['warn', 'error'] })
  app.enableShutdownHooks()
  await app.listen(process.env.PORT ?? 0)
  const url = `${await app.getUrl()}/products`
  const print = async (response: Promise<Response>) => console.log(await (await response).text())

  await print(fetch(`${url}/1`))
  const { queries } = app.get(PrismaService)
  await print(fetch(`${url}/1`))
  console.log('queries of the second read:', app.get(PrismaService).queries - queries)
  await print(fetch(`${url}?ids=2,1,99`))
  const renamed = {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"Chai"}',
  }
  await fetch(`${url}/1`, renamed)
  await print(fetch(`${url}?ids=2,1,99`))
  await app.close()
}
await bootstrap()
