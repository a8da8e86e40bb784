import { NestFactory } from '@nestjs/core'
import { AppModule } from './app.module.js'

Object.assign(BigInt.prototype, {
  toJSON(this: bigint) {
    return String(this)
  },
})

async function bootstrap() {
  const app = await NestFactory.create(AppModule)
  await app.listen(process.env.PORT ?? 3000)
}
await bootstrap()
