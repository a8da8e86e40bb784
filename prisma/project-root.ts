import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The folder that holds prisma/ and .data/, found from this file and not from the working directory: the same code
 * runs from prisma/, from dist/prisma/ and from inside the Docker image.
 */
export function projectRoot(from: string = import.meta.dirname): string {
  if (existsSync(join(from, 'prisma', 'schema.prisma'))) return from
  const parent = dirname(from)
  if (parent === from)
    throw new Error(`No prisma/schema.prisma above ${import.meta.dirname}: is the project complete?`)
  return projectRoot(parent)
}
