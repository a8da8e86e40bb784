import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { verifyExtension } from '../../source/prisma/verify-extension.js'
import { sentenceOf } from '../doctor.js'
import { fault, type Finding, ok } from '../finding.js'

export interface GeneratedClient {
  /** The folder of the project. */
  readonly folder: string
  /** The module of the client, from the folder: `./src/generated/prisma/client.js`. */
  readonly specifier: string
  /** Of the datasource: `'postgresql'`. */
  readonly provider: string
}

/** Whether writes of the generated client can be captured, as the application checks at its start. */
export async function checkExtension(generated: GeneratedClient): Promise<readonly Finding[]> {
  let client: object
  try {
    client = await createClient(generated)
  } catch (error) {
    return [
      fault(
        'note',
        'project.client',
        `The generated Prisma client could not be loaded: ${sentenceOf(error)}`,
        'Whether its writes can be captured is checked when the application starts.',
        'npx prisma generate',
      ),
    ]
  }
  const losses = await verifyExtension(client)
  if (losses.length === 0)
    return [ok('project.extension', 'The writes of the generated client can be captured.')]
  return losses.map((loss) =>
    fault(
      'warning',
      'project.extension',
      `${loss}.`,
      'Such writes invalidate more than they change, or are not seen; in mode `strict` the application does not start.',
      'Use a version of Prisma that is supported, or report this with that version.',
    ),
  )
}

/** Creates the client on an adapter that never connects. */
async function createClient({ folder, provider, specifier }: GeneratedClient): Promise<object> {
  const path = resolve(folder, specifier)
  const file = [path, path.replace(/\.js$/, '.ts')].find((candidate) => existsSync(candidate))
  if (file === undefined) throw new Error(`there is no ${specifier}`)
  const { PrismaClient } = await importTypeScript<{ PrismaClient: new (options: object) => object }>(file)
  const adapter = {
    provider: provider === 'postgresql' ? 'postgres' : provider,
    adapterName: 'model-cache doctor',
    connect: () => Promise.reject(new Error('the doctor does not connect')),
  }
  return new PrismaClient({ adapter })
}

/** Imports a generated client, which may be TypeScript whose imports end with `.js`, as after compilation. */
async function importTypeScript<Module>(file: string): Promise<Module> {
  // Node has them from 22.15 on.
  const hooks = nodeModule.registerHooks?.({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context)
      } catch (error) {
        if (!specifier.startsWith('.') || !specifier.endsWith('.js')) throw error
        return next(specifier.replace(/\.js$/, '.ts'), context)
      }
    },
  })
  try {
    return (await import(pathToFileURL(file).href)) as Module
  } finally {
    hooks?.deregister()
  }
}
