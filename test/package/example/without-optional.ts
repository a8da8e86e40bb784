/** Imports every entry point where the optional peer dependencies are not installed: only those that need one may fail. */
import { registerHooks } from 'node:module'

const optional = ['@nestjs/terminus', 'arktype', 'fast-json-stringify', 'mysql2/promise', 'pg', 'prom-client']

registerHooks({
  resolve(specifier, context, next) {
    if (optional.includes(specifier)) throw new Error(`${specifier} is not installed`)
    return next(specifier, context)
  },
})

const needs: Record<string, string | undefined> = {
  '@model-cache/event-loop': undefined,
  '@model-cache/event-loop/internal': undefined,
  '@model-cache/follow': undefined,
  '@model-cache/follow/internal': undefined,
  '@model-cache/inspector': undefined,
  '@model-cache/inspector/internal': undefined,
  'model-cache': undefined,
  'model-cache/advanced': undefined,
  'model-cache/arktype': 'arktype',
  'model-cache/codec': 'arktype',
  'model-cache/prisma': undefined,
  'model-cache/terminus': '@nestjs/terminus',
  'model-cache/testing': undefined,
}
for (const [entryPoint, needed] of Object.entries(needs)) {
  const problem = await import(entryPoint).then(
    () => undefined,
    (error: Error) => error.message,
  )
  const expected = needed && `${needed} is not installed`
  if (problem !== expected)
    throw new Error(`${entryPoint} should ${needed ? `need ${needed}` : 'load'}; it reported ${problem}`)
}
