import { inspect, isDeepStrictEqual } from 'node:util'
import { duplicateModuleError } from './errors.js'

/** A module of this library with options, whichever package it is of: what Nest knows of it. */
export interface ModuleWithOptions {
  readonly name: string
  /** Token of its options. */
  readonly token: unknown
  /** Options of `forRootAsync` that stand beside the factory, and have no effect in what that returns. */
  readonly beside: readonly string[]
  readonly errorOf: (problem: string) => Error
}

/** What the builder of Nest returns. */
interface BuiltModule {
  readonly providers?: readonly unknown[]
}

/** What of the options of `forRootAsync` says where others come from. */
interface OptionsOrigin {
  readonly useClass?: unknown
  readonly useExisting?: unknown
  readonly useFactory?: unknown
}

interface OptionsProvider {
  readonly provide?: unknown
  readonly useFactory: (...dependencies: unknown[]) => unknown
}

/** @throws what the module has for errors, unless there are options */
export function verifyOptions({ errorOf, name }: ModuleWithOptions, options: unknown, remedy = ''): void {
  if (typeof options === 'object' && options !== null) return
  const given = options === null || options === undefined ? String(options) : `a ${typeof options}`
  throw errorOf(`the options of ${name} are ${given}; expected an object.${remedy}`)
}

/**
 * Has a module verify the options of `forRootAsync` before a provider takes them.
 *
 * @param origin as `forRootAsync` got it
 * @throws what the module has for errors, if options come from nowhere
 */
export function withVerifiedOptions<Built extends BuiltModule>(
  module: ModuleWithOptions,
  built: Built,
  origin: OptionsOrigin,
): Built {
  const { errorOf, name, token } = module
  const { useClass, useExisting, useFactory } = origin
  if (!useFactory && !useClass && !useExisting)
    throw errorOf(
      `${name}.forRootAsync has none of \`useFactory\`, \`useClass\` and \`useExisting\`, or a class is undefined while two files import ` +
        'each other.',
    )
  const verified = ({ useFactory: create, ...provider }: OptionsProvider): OptionsProvider => ({
    ...provider,
    useFactory: async (...dependencies) => {
      if (!useFactory && typeof Object(dependencies[0]).create !== 'function')
        throw errorOf(
          `the class of ${name}.forRootAsync has no method \`create\`, which returns the options.`,
        )
      const options = await create(...dependencies)
      verifyOptions(module, options, returnThem)
      verifyBeside(module, origin, options as object)
      return options
    },
  })
  const providers = built.providers?.map((provider) =>
    (provider as OptionsProvider).provide === token ? verified(provider as OptionsProvider) : provider,
  )
  return { ...built, providers }
}

/** Options that an application has in one object may be in both places. */
function verifyBeside({ beside, errorOf, name }: ModuleWithOptions, origin: object, returned: object): void {
  for (const option of beside) {
    const [counting, given] = [origin, returned].map((of) => (of as Record<string, unknown>)[option])
    if (given === undefined || isDeepStrictEqual(given, counting)) continue
    const problem = `the factory of ${name}.forRootAsync returns the option "${option}"`
    throw errorOf(
      counting === undefined
        ? `${problem}, which has no effect there. Give it beside the factory: forRootAsync({ ${option}: …, useFactory }).`
        : `${problem} as ${shown(given)}, and beside the factory it is ${shown(counting)}, which alone has an effect. Have the ` +
            'factory return the same, or leave it out there.',
    )
  }
}

function shown(value: unknown): string {
  return inspect(value, { depth: 0, maxStringLength: 60 })
}

const returnThem =
  ' Have the factory of `forRootAsync`, or `create` of its class, return it: an arrow function with braces needs `return`, or parentheses, ' +
  'as `() => ({ … })`.'

/** @throws EventLoopError if an application has the module of the event loop twice */
export function verifyImportedOnce(
  modules: ReadonlyMap<string, { readonly metatype: unknown }>,
  module: unknown,
): void {
  const imported = [...modules.values()].filter(({ metatype }) => metatype === module)
  if (imported.length > 1) throw duplicateModuleError()
}
