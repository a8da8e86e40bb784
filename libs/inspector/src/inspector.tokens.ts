import { registerPackage } from '@model-cache/event-loop/internal'

/** Written by scripts/build-library.ts. */
declare const PACKAGE_VERSION: string | undefined
registerPackage(
  '@model-cache/inspector',
  typeof PACKAGE_VERSION === 'undefined' ? undefined : PACKAGE_VERSION,
  new Error('Here'),
)

/** Token of the options of an inspector. */
export const INSPECTOR_OPTIONS = Symbol('INSPECTOR_OPTIONS')

/** Token of its path and guards. */
export const INSPECTOR_MOUNT = Symbol('INSPECTOR_MOUNT')

/** Token of the class of the controller of its page. */
export const INSPECTOR_PAGE = Symbol('INSPECTOR_PAGE')
