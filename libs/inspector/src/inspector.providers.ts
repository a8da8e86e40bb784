import type { Provider } from '@nestjs/common'
import { ModulesContainer } from '@nestjs/core'
import { BlockWatch, EventLoopPressure } from '@model-cache/event-loop'
import { MODEL_CACHE_STORE, type Store } from 'model-cache'
import { missingCachesError } from './errors.js'
import { Admission } from './http/admission.js'
import { Responder } from './http/responder.js'
import { Inspector } from './inspector.js'
import type { InspectorOptions } from './inspector.options.js'
import { INSPECTOR_OPTIONS } from './inspector.tokens.js'
import { permissionsOf } from './permissions.js'

export const inspectorProviders: Provider[] = [
  Responder,
  { provide: Admission, useFactory: () => new Admission() },
  {
    provide: Inspector,
    inject: [
      INSPECTOR_OPTIONS,
      ModulesContainer,
      // Optional, so that a missing root is reported by the library and not by Nest.
      ...[MODEL_CACHE_STORE, EventLoopPressure, BlockWatch].map((token) => ({ token, optional: true })),
    ],
    useFactory: (
      options: InspectorOptions,
      modules: ModulesContainer,
      store: Store | undefined,
      pressure: EventLoopPressure | undefined,
      watch: BlockWatch | undefined,
    ) => {
      if (!store || !pressure || !watch) throw missingCachesError()
      const environment = options.environment ?? process.env.NODE_ENV ?? null
      return new Inspector({ modules, pressure, watch, environment }, permissionsOf(options))
    },
  },
]
