import 'reflect-metadata'
import type { ModuleMetadata } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { GraphQLModule } from '@nestjs/graphql'
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { lotFieldTypes, scalars } from './lot-type.ts'

/** Nest, Mercurius with its compiler, and Fastify. */
export function createGraphqlApp(
  typeDefs: string,
  { imports = [], providers = [] }: Pick<ModuleMetadata, 'imports' | 'providers'>,
  context?: () => object,
): Promise<NestFastifyApplication> {
  const graphql = GraphQLModule.forRoot<MercuriusDriverConfig>({
    driver: MercuriusDriver,
    typeDefs: lotFieldTypes + typeDefs,
    resolvers: scalars as never,
    jit: 1,
    ...(context && { context }),
  })
  const root = { module: class Application {}, imports: [...imports, graphql], providers }
  return NestFactory.create<NestFastifyApplication>(root, new FastifyAdapter(), { logger: false })
}

/** Listens on a free port of 127.0.0.1. @returns the URL */
export async function listenOn(app: NestFastifyApplication): Promise<string> {
  await app.listen(0, '127.0.0.1')
  return app.getUrl()
}

/** Decorates a method and its parameters: Node runs the bench without compiling it, and decorators are not JavaScript yet. */
export function decorate<Class extends abstract new (...args: never) => object>(
  { prototype }: Class,
  method: keyof InstanceType<Class> & string,
  decorator: MethodDecorator,
  ...ofParameters: readonly ParameterDecorator[]
): void {
  decorator(prototype as object, method, Object.getOwnPropertyDescriptor(prototype, method)!)
  for (const [index, ofParameter] of ofParameters.entries()) ofParameter(prototype as object, method, index)
}
