import { ConfigurableModuleBuilder, type DynamicModule } from '@nestjs/common'
import { mountedApi, mountedPage } from './http/mount.js'
import { type InspectorMount, type InspectorOptions, validPath } from './inspector.options.js'
import { INSPECTOR_MOUNT, INSPECTOR_OPTIONS, INSPECTOR_PAGE } from './inspector.tokens.js'

export const {
  ConfigurableModuleClass: InspectorModuleClass,
  OPTIONS_TYPE: INSPECTOR_OPTIONS_TYPE,
  ASYNC_OPTIONS_TYPE: INSPECTOR_ASYNC_OPTIONS_TYPE,
} = new ConfigurableModuleBuilder<InspectorOptions>({ optionsInjectionToken: INSPECTOR_OPTIONS })
  .setClassMethodName('forRoot')
  .setExtras<InspectorMount>({ path: 'inspector', guards: [], imports: [] }, withMount)
  .build()

function withMount(
  definition: DynamicModule,
  { path = 'inspector', guards = [], imports = [] }: InspectorMount,
): DynamicModule {
  const mount: Required<InspectorMount> = { path: validPath(path), guards, imports }
  const page = mountedPage(mount)
  return {
    ...definition,
    imports: [...(definition.imports ?? []), ...imports],
    providers: [
      ...(definition.providers ?? []),
      { provide: INSPECTOR_MOUNT, useValue: mount },
      { provide: INSPECTOR_PAGE, useValue: page },
    ],
    // In this order, since the page has a route for all further paths.
    controllers: [mountedApi(mount), page],
  }
}
