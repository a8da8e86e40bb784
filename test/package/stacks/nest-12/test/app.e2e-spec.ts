import { INestApplication } from '@nestjs/common'
import { Test } from '@nestjs/testing'
import request from 'supertest'
import { App } from 'supertest/types.js'
import { AppModule } from './../src/app.module.js'

describe('AppModule (e2e)', () => {
  let app: INestApplication<App>

  beforeEach(async () => {
    const moduleFixture = await Test.createTestingModule({ imports: [AppModule] }).compile()
    app = moduleFixture.createNestApplication()
    await app.init()
  })

  it('/products/:id (GET)', async () => {
    const answers = [1, 2].map(() => request(app.getHttpServer()).get('/products/2').expect(200))
    for (const { body } of await Promise.all(answers))
      expect(body).toMatchObject({ slug: 'mate', price: '3' })
  })

  afterEach(async () => {
    await app.close()
  })
})
